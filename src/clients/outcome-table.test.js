/** One table of error replies for every client: each of them gives the same outcome to the same reply. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { shapeOf } from './fixture.js';
import { LibraryConnection } from './library.js';
import { NativeConnection } from './native.js';
import { classifyWriteError, errorKind } from './outcome.js';
import { Outcome } from './types.js';

/**
 * @import { Socket } from 'node:net'
 * @import { Library } from './library.js'
 */

const { rejected, unknown } = Outcome;

/** Replies as Redis 7.0 and Valkey 8.0 send them, and what they say about the write. @type {[reply: string, outcome: number][]} */
const TABLE = [
  ['NOREPLICAS Not enough good replicas to write.', rejected],
  ["READONLY You can't write against a read only replica.", rejected],
  ['LOADING Redis is loading the dataset in memory', rejected],
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", rejected],
  ["OOM command not allowed when used memory > 'maxmemory'.", rejected],
  ['MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.', rejected],
  ['EXECABORT Transaction discarded because of previous errors.', rejected],
  ['EXECABORT Transaction discarded because of: NOREPLICAS Not enough good replicas to write.', rejected],
  ['NOAUTH Authentication required.', rejected],
  ["NOPERM User default has no permissions to run the 'set' command", rejected],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', rejected],
  ['CLUSTERDOWN Hash slot not served', rejected],
  ["ERR unknown command 'SET', with args beginning with: 'a'", rejected],
  ['UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)', unknown],
  ['WRONGTYPE Operation against a key holding the wrong kind of value', unknown],
  ['ERR syntax error', unknown],
  ['ERR', unknown],
  ['MADEUP by a module', unknown],
  ['NOREPLICASX', unknown],
  ['noreplicas in lower case', unknown],
  ['NOREPLICAS: with a colon', unknown],
  ['ERR READONLY in the middle', unknown],
  // What is shown of a reply is cleaned; what decides is the reply itself.
  ['READ\x07ONLY with a control character', unknown],
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
      wait: async () => 0,
      call: async () => 0,
      get: async () => null,
      drop() {},
    };
    return outcomesOf(new LibraryConnection(SHAPE, library), () => {});
  },
};

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
