import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyWriteError, errorKind, NOT_SENT, outcomeOfOk } from './outcome.js';
import { Outcome } from './types.js';

test('an error given before the command runs says that the write was not applied', () => {
  for (const text of ['ERR max number of clients reached', NOT_SENT])
    assert.equal(classifyWriteError(text), Outcome.rejected, text);
});

/** Kinds that say so, and kinds that do not; both are counted by their own names. */
const KINDS = [
  'NOAUTH NOPERM WRONGPASS DENIED MOVED ASK TRYAGAIN CROSSSLOT CLUSTERDOWN OOM MISCONF NOREPLICAS READONLY MASTERDOWN LOADING BUSY EXECABORT NOTSENT',
  'CLOSED PROTOCOL ECONNRESET EPIPE ETIMEDOUT ERR UNBLOCKED WRONGTYPE NOPROTO BUSYKEY NOSCRIPT UNKILLABLE NOTBUSY',
].map((kinds) => kinds.split(' '));
for (const [i, outcome] of [Outcome.rejected, Outcome.unknown].entries()) {
  test(`${KINDS[i].join(', ')}: ${i === 0 ? 'not applied' : 'open'}`, () => {
    for (const kind of KINDS[i]) {
      assert.equal(classifyWriteError(`${kind} and why`), outcome, kind);
      assert.equal(errorKind(`${kind} and why`), kind);
    }
  });
}

test('any other error leaves it open whether the write was applied', () => {
  for (const text of ['', 'ERR Protocol error: invalid bulk length', 'READONLYISH', 'readonly', ' READONLY'])
    assert.equal(classifyWriteError(text), Outcome.unknown, text);
});

test('a kind is the first word, from a bounded set', () => {
  assert.equal(errorKind('NOREPLICAS Not enough good replicas to write.'), 'NOREPLICAS');
  assert.equal(errorKind('READONLY'), 'READONLY');
  assert.equal(errorKind('CLOSED by the server'), 'CLOSED');
  assert.equal(errorKind(NOT_SENT), 'NOTSENT');
  assert.equal(errorKind('ERR syntax error'), 'ERR');
  for (const odd of ['', 'made-up by a module', 'X8231 whatever', 'constructor', '__proto__']) {
    assert.equal(errorKind(odd), 'ERR', odd);
  }
});

test('OK is acknowledged when no WAIT was asked for or its count reached what was asked', () => {
  assert.equal(outcomeOfOk({ waitReplicas: 0 }, -1), Outcome.acked);
  assert.equal(outcomeOfOk({ waitReplicas: 1 }, 1), Outcome.acked);
  assert.equal(outcomeOfOk({ waitReplicas: 1 }, 2), Outcome.acked);
  assert.equal(outcomeOfOk({ waitReplicas: 2 }, 1), Outcome.underAcked);
  assert.equal(outcomeOfOk({ waitReplicas: 1 }, 0), Outcome.underAcked);
  assert.equal(outcomeOfOk({ waitReplicas: 1 }, -1), Outcome.underAcked);
  assert.equal(outcomeOfOk({ waitLocal: 0, waitReplicas: 0 }, 0, 0), Outcome.acked);
  assert.equal(outcomeOfOk({ waitLocal: 0, waitReplicas: 0 }, -1, -1), Outcome.underAcked);
  assert.equal(outcomeOfOk({ waitLocal: 1, waitReplicas: 1 }, 1, 1), Outcome.acked);
  assert.equal(outcomeOfOk({ waitLocal: 1, waitReplicas: 1 }, 1, 0), Outcome.underAcked);
  assert.equal(outcomeOfOk({ waitLocal: 1, waitReplicas: 1 }, 0, 1), Outcome.underAcked);
});
