/**
 * The writers of failure trials give an error reply the same outcome as the clients of rounds: outcome-table.test.js has those.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { appendingClient } from '../load/writers/library-writer.js';
import { shapeOf } from './fixture.js';
import { plainError, SqlError } from './mysql.js';
import { classifyWriteError, errorKind } from './outcome.js';
import { Outcome } from './types.js';

const { rejected, unknown } = Outcome;

class ReplyError extends Error {}

const SHAPE = shapeOf({ waitReplicas: 1, waitMode: 'sequential' });

/**
 * @param {Error} error with which the library rejects the write
 * @returns {Promise<{outcome: number, kinds: string[]}>} kinds: of the errors in the result
 */
async function outcomeInTrial(error) {
  /** @type {string[]} */
  const kinds = [];
  const client = /** @type {Parameters<typeof appendingClient>[0]} */ (
    /** @type {unknown} */ ({
      append: () => Promise.reject(error),
      isReply: (/** @type {unknown} */ each) => each instanceof ReplyError,
      destroy() {},
    })
  );
  const report = {
    error: (/** @type {string} */ text) => void kinds.push(errorKind(text)),
    appliedTwice() {},
    moved() {},
  };
  const { outcome } = await appendingClient(client, SHAPE, report).write(1);
  return { outcome, kinds };
}

describe('a library that writes in a trial', () => {
  /** @type {[reply: string, outcome: number, kind: string][]} */
  const replies = [
    ['NOREPLICAS Not enough good replicas to write.', rejected, 'NOREPLICAS'],
    ["READONLY You can't write against a read only replica.", rejected, 'READONLY'],
    ['MADEUP by a module', unknown, 'MADEUP'],
    ['ERR syntax error', unknown, 'ERR'],
  ];
  for (const [reply, outcome, kind] of replies) {
    test(`${reply.split(' ')[0]}: ${outcome === rejected ? 'rejected' : 'unknown'}`, async () => {
      assert.deepEqual(await outcomeInTrial(new ReplyError(reply)), { outcome, kinds: [errorKind(reply)] });
      assert.equal(classifyWriteError(reply), outcome, 'as in a round');
      // Words that are not known are counted as one kind, so that a server cannot make any number of them.
      assert.ok([kind, 'ERR'].includes(errorKind(reply)));
    });
  }

  test('an error of the library that only looks like a reply leaves the write unknown', async () => {
    const { outcome, kinds } = await outcomeInTrial(new Error('READONLY this is no reply'));
    assert.deepEqual([outcome, kinds], [unknown, ['CLOSED']]);
  });
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
