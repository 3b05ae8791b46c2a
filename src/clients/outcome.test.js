/** Outcomes of writes: one table of error replies, to which every client and every writer of a trial gives the same outcome. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { appendingClient } from '../load/writers/library-writer.js';
import { shapeOf } from './fixture.js';
import { LibraryConnection } from './library.js';
import { plainError, SqlError } from './mysql.js';
import { NativeConnection } from './native.js';
import { classifyWriteError, errorKind, NOT_SENT, outcomeOfOk } from './outcome.js';
import { Outcome } from './types.js';

/**
 * @import { Socket } from 'node:net'
 * @import { Library } from './library.js'
 */

const { acked, underAcked, rejected, unknown } = Outcome;

/** Replies as Redis 7.0 and Valkey 8.0 send them, and what they say about the write. @type {[reply: string, outcome: number][]} */
const TABLE = [
  ['NOREPLICAS Not enough good replicas to write.', rejected],
  ["READONLY You can't write against a read only replica.", rejected],
  ['LOADING Redis is loading the dataset in memory', rejected],
  ["OOM command not allowed when used memory > 'maxmemory'.", rejected],
  ['EXECABORT Transaction discarded because of: NOREPLICAS Not enough good replicas to write.', rejected],
  ['NOAUTH Authentication required.', rejected],
  ["ERR unknown command 'SET', with args beginning with: 'a'", rejected],
  ['ERR max number of clients reached', rejected],
  [NOT_SENT, rejected],
  ['UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)', unknown],
  ['ERR syntax error', unknown],
  ['ERR', unknown],
  ['MADEUP by a module', unknown],
  ['NOREPLICASX', unknown],
  ['noreplicas in lower case', unknown],
  ['NOREPLICAS: with a colon', unknown],
  ['ERR READONLY in the middle', unknown],
  // What is shown of a reply is cleaned; what decides is the reply itself.
  ['READ\x07ONLY with a control character', unknown],
  [' READONLY', unknown],
  ['constructor', unknown],
];

const REPLIES = TABLE.map(([reply]) => reply);
const OUTCOMES = TABLE.map(([, outcome]) => outcome);

const SHAPE = shapeOf({ payloadBytes: 8, pipeline: REPLIES.length });

class ReplyError extends Error {}

/** @type {Record<string, (replies: string[]) => Promise<{outcomes: number[], errors: string[]}>>} */
const CLIENTS = {
  async native(replies) {
    const socket = Object.assign(new EventEmitter(), { write: () => true, destroy() {} });
    const connection = new NativeConnection(/** @type {Socket} */ (/** @type {unknown} */ (socket)), SHAPE);
    return outcomesOf(connection, () => {
      const bytes = Buffer.from(replies.map((reply) => `-${reply}\r\n`).join(''));
      connection.receive(bytes, bytes.length);
    });
  },
  async 'a library'(replies) {
    /** @type {Library} */
    const library = {
      ErrorReply: ReplyError,
      writable: () => true,
      send(batch) {
        for (const [i, reply] of replies.entries()) {
          Promise.reject(new ReplyError(reply)).then(batch.onReply[i], batch.onFailure[i]);
        }
      },
      call: async () => 0,
      get: async () => null,
      drop() {},
    };
    return outcomesOf(new LibraryConnection(SHAPE, library), () => {});
  },
  async 'a library in a trial'(replies) {
    const written = replies.map((reply) => writtenInTrial(new ReplyError(reply)));
    const outcomes = await Promise.all(written);
    return { outcomes: outcomes.map(({ outcome }) => outcome), errors: outcomes.flatMap(({ errors }) => errors) };
  },
};

/** @param {Error} error with which the library rejects the write of a trial */
async function writtenInTrial(error) {
  /** @type {string[]} */
  const errors = [];
  const client = /** @type {Parameters<typeof appendingClient>[0]} */ (
    /** @type {unknown} */ ({
      append: () => Promise.reject(error),
      isReply: (/** @type {unknown} */ each) => each instanceof ReplyError,
      destroy() {},
    })
  );
  const report = { error: (/** @type {string} */ text) => void errors.push(text), appliedTwice() {}, moved() {} };
  const { outcome } = await appendingClient(client, shapeOf({ waitReplicas: 1 }), report).write(1);
  return { outcome, errors };
}

/** @param {NativeConnection | LibraryConnection} connection @param {() => void} answer the batch that was just sent */
async function outcomesOf(connection, answer) {
  /** @type {string[]} */
  const errors = [];
  connection.onError = (text) => errors.push(text);
  const ended = new Promise((resolve) => {
    connection.onBatch = () => resolve(undefined);
  });
  connection.write();
  answer();
  await ended;
  return { outcomes: [...connection.outcomes], errors };
}

test('the table', () => {
  assert.deepEqual(REPLIES.map(classifyWriteError), OUTCOMES);
});

for (const [name, answered] of Object.entries(CLIENTS)) {
  describe(name, () => {
    test('gives each error reply the outcome of the table, and reports its kind', async () => {
      const { outcomes, errors } = await answered(REPLIES);
      assert.deepEqual(
        outcomes.map((outcome, i) => [REPLIES[i], outcome]),
        TABLE,
      );
      assert.deepEqual(
        errors.map(errorKind),
        errors.map((_, i) => errorKind(REPLIES[i])),
      );
      assert.equal(errors.length, REPLIES.length);
    });
  });
}

/** Kinds that say so, and kinds that do not; both are counted by their own names. */
const KINDS = [
  'NOAUTH NOPERM WRONGPASS DENIED MOVED ASK TRYAGAIN CROSSSLOT CLUSTERDOWN OOM MISCONF NOREPLICAS READONLY MASTERDOWN LOADING BUSY EXECABORT NOTSENT',
  'CLOSED PROTOCOL ECONNRESET EPIPE ETIMEDOUT ERR UNBLOCKED WRONGTYPE NOPROTO BUSYKEY NOSCRIPT UNKILLABLE NOTBUSY',
].map((kinds) => kinds.split(' '));
for (const [i, outcome] of [rejected, unknown].entries()) {
  test(`${KINDS[i].join(', ')}: ${i === 0 ? 'not applied' : 'open'}`, () => {
    for (const kind of KINDS[i]) {
      assert.equal(classifyWriteError(`${kind} and why`), outcome, kind);
      assert.equal(errorKind(`${kind} and why`), kind);
    }
  });
}

test('a kind is the first word, from a bounded set', () => {
  for (const odd of ['', 'made-up by a module', 'X8231 whatever', 'constructor', '__proto__'])
    assert.equal(errorKind(odd), 'ERR', odd);
});

test('OK is acknowledged when no WAIT was asked for or its count reached what was asked', () => {
  const outcome = (/** @type {number} */ waitReplicas, /** @type {number} */ count) =>
    outcomeOfOk({ waitReplicas }, count);
  assert.deepEqual([outcome(0, -1), outcome(1, 1), outcome(1, 2)], [acked, acked, acked]);
  assert.deepEqual([outcome(2, 1), outcome(1, 0), outcome(1, -1)], [underAcked, underAcked, underAcked]);
  const none = { waitLocal: /** @type {const} */ (0), waitReplicas: 0 };
  const both = { waitLocal: /** @type {const} */ (1), waitReplicas: 1 };
  assert.deepEqual([outcomeOfOk(none, 0, 0), outcomeOfOk(both, 1, 1)], [acked, acked]);
  for (const [shape, count, local] of /** @type {const} */ ([
    [none, -1, -1],
    [both, 1, 0],
    [both, 0, 1],
  ]))
    assert.equal(outcomeOfOk(shape, count, local), underAcked);
});

test('an error of the library that only looks like a reply leaves the write unknown', async () => {
  const { outcome, errors } = await writtenInTrial(new Error('READONLY this is no reply'));
  assert.deepEqual([outcome, errors], [unknown, ['CLOSED READONLY this is no reply']]);
});

describe('an error of MariaDB', () => {
  const reply = (/** @type {number} */ errno, more = {}) =>
    plainError(Object.assign(new Error('the text'), { errno, sqlState: 'HY000', ...more }));

  test('by its number: what says that nothing was applied is rejected, all else is unknown', () => {
    for (const [errno, kind, outcome] of /** @type {const} */ ([
      [1290, 'READONLY', rejected],
      [1040, 'DENIED', rejected],
      [1045, 'WRONGPASS', rejected],
      [1053, 'CLOSED', unknown],
      [1062, 'BUSYKEY', unknown],
      [1213, 'ERR', unknown],
      [0, 'ERR', unknown],
    ])) {
      const error = reply(errno);
      assert.ok(error instanceof SqlError);
      assert.deepEqual([error.message, classifyWriteError(error.message)], [`${kind} the text`, outcome]);
    }
  });

  test('an error that ends the connection, or that no server sent, is no reply', () => {
    for (const error of [reply(1290, { fatal: true }), reply(1290, { sqlState: undefined })]) {
      assert.ok(!(error instanceof SqlError));
      assert.equal(error.message, 'the text');
    }
  });
});
