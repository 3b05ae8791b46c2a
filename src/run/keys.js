/**
 * The keys that a benchmark writes, and taking them away again. Nothing else in a database is touched.
 */
import { randomBytes } from 'node:crypto';
import { loadClient } from '../clients/index.js';
import { errorKind } from '../clients/outcome.js';
import { KEY_NAMESPACE, Outcome } from '../clients/types.js';
import { UserError } from '../errors.js';
import { firstKeyOf } from '../load/peers.js';
import { untilAborted } from './interruption.js';

/**
 * @import { Connection, Target } from '../clients/types.js'
 * @import { CaseParams } from '../result/schema.js'
 * @import { Control, Keys, System } from '../stacks/types.js'
 * @import { Case } from './types.js'
 */

const MOST_KEYS = 100_000;
/** A case's values together stay below this, on each node. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * @param {Pick<CaseParams, 'payloadBytes' | 'keyspace' | 'preloadKeys'>} params of a case
 * @returns {number} how many keys it draws from; unless it says so itself, enough to miss the CPU caches, few enough to
 *   fit in memory
 */
export function keyspaceFor({ payloadBytes, keyspace, preloadKeys }) {
  return preloadKeys ?? keyspace ?? Math.max(1, Math.min(MOST_KEYS, Math.floor(MOST_BYTES / payloadBytes)));
}

/** @returns {string} a prefix of its own: whatever a database holds, none of it starts like this */
export function newKeyPrefix() {
  return `${KEY_NAMESPACE}${randomBytes(6).toString('hex')}:`;
}

/**
 * @param {Case[]} cases of one benchmark
 * @returns {Keys} all that its rounds may write, under a prefix of its own: whatever a database holds, none of it starts
 *   like this
 */
export function newKeys(cases) {
  // read-after-write gives each connection a key space of its own, and one to the background.
  const counts = cases.map(({ params }) => {
    const spaces = params.backgroundConnections === undefined ? 1 : params.connections + 1;
    return keyspaceFor(params) * spaces;
  });
  return {
    prefix: newKeyPrefix(),
    count: Math.max(0, ...counts),
    starts: [...new Set(cases.map(({ params }) => firstKeyOf(params.client)))],
  };
}

/**
 * For writers that were broken off: what they had sent may still reach the server while the keys are removed.
 *
 * @param {System} system
 * @param {Pick<Control, 'call'>} primary
 * @param {Keys} keys
 */
export async function removeKeysForGood(system, primary, keys) {
  while ((await system.keys.remove(primary, keys)) > 0);
}

/** While one batch is answered, the others are on their way. */
const CONNECTIONS = 4;
const BATCH = 500;
/** A batch's values together stay below this. */
const MOST_BATCH_BYTES = 2 * 1024 * 1024;
/** How long replicas may take to acknowledge a batch. */
const WAIT_MS = 30_000;
const PROGRESS_MS = 250;

/**
 * @param {Target} target
 * @param {Object} options
 * @param {string} options.keyPrefix
 * @param {number} options.count keys `0 … count - 1` are written
 * @param {number} options.payloadBytes
 * @param {AbortSignal} options.signal
 * @param {number} [options.connections] at least 1; default 4
 * @param {number} [options.replicas] so many have each batch before the next one leaves, so that the primary does not have to
 *   drop those that cannot keep pace; default 0
 * @param {(done: number) => void} [options.onProgress] told now and then how many keys there are
 * @throws {UserError} a write was not answered OK, with what the server said; the abort's reason
 */
export async function fillKeys(target, options) {
  const { keyPrefix, count, payloadBytes, signal, connections = CONNECTIONS, replicas = 0, onProgress } = options;
  signal.throwIfAborted();
  if (count === 0) return;
  const pipeline = Math.max(1, Math.min(BATCH, count, Math.floor(MOST_BATCH_BYTES / payloadBytes)));
  const native = await loadClient('native');
  const shape = {
    payloadBytes,
    pipeline,
    waitReplicas: replicas,
    waitTimeoutMs: WAIT_MS,
    habit: /** @type {const} */ ('one-flush'),
    keyPrefix,
  };
  let next = 0;
  let done = 0;
  let toldAt = performance.now();
  let failed = false;

  /** @param {Connection} connection */
  const fill = (connection) =>
    new Promise((resolve, reject) => {
      let trouble = '';
      const start = () => {
        if (failed || signal.aborted || next >= count) return resolve(undefined);
        // The last batch would go over the end: it writes the last keys again instead.
        const first = Math.min(next, count - pipeline);
        next += pipeline;
        for (let i = 0; i < pipeline; i++) connection.keys[i] = first + i;
        connection.write();
      };
      connection.onError = (text) => {
        trouble ||= text;
      };
      connection.onBatch = () => {
        if (connection.outcomes.some((outcome) => outcome !== Outcome.acked)) {
          failed = true;
          reject(notWritten(trouble, connection.waitCount, replicas));
          return;
        }
        // What is answered after it was given up is of no interest to anybody.
        if (failed) return;
        done = Math.min(count, done + pipeline);
        tell();
        start();
      };
      start();
    });

  const tell = () => {
    const now = performance.now();
    if (now - toldAt < PROGRESS_MS) return;
    toldAt = now;
    onProgress?.(done);
  };

  /** @type {Connection[]} */
  const opened = [];
  try {
    for (let i = 0; i < connections; i++) opened.push(await native.connect(target, shape));
    await untilAborted(Promise.all(opened.map(fill)), signal);
  } finally {
    failed = true;
    await Promise.all(opened.map((connection) => connection.close()));
  }
}

/**
 * @param {string} trouble what the server said
 * @param {number} reached replicas that acknowledged
 * @param {number} replicas that were to
 */
function notWritten(trouble, reached, replicas) {
  const why = trouble || `${reached} of ${replicas} replicas acknowledged within ${WAIT_MS / 1000} s`;
  return new UserError(
    `The keys to load could not be written: ${why.replace(/\.+$/, '')}.`,
    REMEDIES[trouble && errorKind(trouble)] ?? 'Check that a healthy primary with healthy replicas answers there.',
  );
}

/** @type {Record<string, string>} by the kind of error */
const REMEDIES = {
  OOM: 'Raise the server’s maxmemory, or load fewer keys or smaller values.',
  MISCONF: 'See the server’s log for why it cannot write its files: most often the disk is full.',
  NOREPLICAS: 'min-replicas-to-write asks for more healthy replicas than there are; bring them back or lower it.',
  READONLY: 'This node is a replica; name the primary.',
  CLOSED: 'See the server’s log for why it ended: it may have run out of memory.',
};
