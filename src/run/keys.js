/**
 * The keys that a benchmark writes. No other key of a database is touched.
 * @import { ClientName, LoadConnection, Target } from '../clients/types.js'
 * @import { CaseParams } from '../result/schema.js'
 * @import { Control, Keys, System } from '../stacks/types.js'
 * @import { Case } from './types.js'
 */
import { randomBytes } from 'node:crypto';
import { loadClient, writeBatch } from '../clients/index.js';
import { errorKind } from '../clients/outcome.js';
import { KEY_NAMESPACE, Outcome } from '../clients/types.js';
import { findClient } from '../registry/clients.js';
import { shapeOf } from './case.js';
import { untilAborted } from './interruption.js';
import { SENTENCES } from './sentences.js';

const MOST_KEYS = 100_000;
/** The values of a case together stay below this, on each node. */
const MOST_BYTES = 64 * 1024 * 1024;

/** By default enough keys to miss the CPU caches, and few enough to fit in memory. @param {Pick<CaseParams, 'payloadBytes' | 'keyspace' | 'preloadKeys'>} params */
export function keyspaceFor({ payloadBytes, keyspace, preloadKeys }) {
  return preloadKeys ?? keyspace ?? Math.max(1, Math.min(MOST_KEYS, Math.floor(MOST_BYTES / payloadBytes)));
}

/** @param {string} [first] of `--key-prefix` @returns {string} a new prefix: no other key starts with it */
export function newKeyPrefix(first = '') {
  return `${first}${KEY_NAMESPACE}${randomBytes(6).toString('hex')}:`;
}

/** All that the rounds may write, under a new prefix. @param {Case[]} cases of one benchmark @param {string} [first] @returns {Keys} */
export function newKeys(cases, first) {
  // read-after-write gives each connection its own keys, and the background connections another set.
  const spacesOf = (/** @type {CaseParams} */ { backgroundConnections, connections }) =>
    backgroundConnections === undefined ? 1 : connections + 1;
  const counts = cases.map(({ params }) => keyspaceFor(params) * spacesOf(params));
  return {
    prefix: newKeyPrefix(first),
    count: Math.max(0, ...counts),
    starts: [...new Set(cases.map(({ params }) => findClient(params.client)?.firstKey ?? 0))],
  };
}

/** What broken-off writers had sent may still arrive meanwhile. @param {System} system @param {Pick<Control, 'call'>} primary @param {Keys} keys */
export async function removeKeysForGood(system, primary, keys) {
  while ((await system.keys.remove(primary, keys)) > 0);
}

/** While one batch is answered, the others are under way. */
const CONNECTIONS = 4;
const BATCH = 500;
/** The values of a batch together stay below this. */
const MOST_BATCH_BYTES = 2 * 1024 * 1024;
const WAIT_MS = 30_000;
const PROGRESS_MS = 250;

/**
 * @param {Target} target @param {Object} options @param {string} options.keyPrefix
 * @param {number} options.count keys `0 … count - 1` are written
 * @param {number} options.payloadBytes @param {AbortSignal} options.signal @param {ClientName} [options.client] default: native
 * @param {number} [options.replicas] each batch waits for so many, so that slow ones are not disconnected; default 0
 * @param {(done: number) => void} [options.onProgress] called now and then with the number of keys written
 * @throws {UserError} a write was not answered OK; the message has the server's answer
 */
export async function fillKeys(target, options) {
  const { keyPrefix, count, payloadBytes, signal, replicas = 0, onProgress } = options;
  const client = await loadClient(options.client ?? 'native');
  signal.throwIfAborted();
  if (count === 0) return;
  const pipeline = Math.max(1, Math.min(BATCH, count, Math.floor(MOST_BATCH_BYTES / payloadBytes)));
  const wait = { wait: replicas, waitTimeoutMs: WAIT_MS, waitMode: /** @type {const} */ ('pipelined') };
  const shape = shapeOf({ payloadBytes, pipeline, ...wait }, keyPrefix);
  let next = 0;
  let done = 0;
  let toldAt = performance.now();
  let stopped = false;

  /** @param {LoadConnection} connection */
  const fill = async (connection) => {
    let trouble = '';
    connection.onError = (text) => {
      trouble ||= text;
    };
    while (!stopped && next < count) {
      // The last batch overlaps the one before it, so that it ends with the last key.
      const first = Math.min(next, count - pipeline);
      next += pipeline;
      for (let i = 0; i < pipeline; i++) connection.keys[i] = first + i;
      await writeBatch(connection);
      // Another connection has failed: late answers do not count.
      if (stopped) return;
      if (connection.outcomes.some((outcome) => outcome !== Outcome.acked))
        throw notWritten(trouble, connection.waitCount, replicas);
      done = Math.min(count, done + pipeline);
      tell();
    }
  };

  const tell = () => {
    const now = performance.now();
    if (now - toldAt < PROGRESS_MS) return;
    toldAt = now;
    onProgress?.(done);
  };

  /** @type {LoadConnection[]} */
  const opened = [];
  try {
    for (let i = 0; i < CONNECTIONS; i++) opened.push(await client.connect(target, shape));
    await untilAborted(Promise.all(opened.map(fill)), signal);
  } finally {
    stopped = true;
    await Promise.all(opened.map((connection) => connection.close()));
  }
}

/** @param {string} trouble the server's answer @param {number} reached replicas that acknowledged @param {number} replicas asked for */
function notWritten(trouble, reached, replicas) {
  const why = trouble || `${reached} of ${replicas} replicas acknowledged within ${WAIT_MS / 1000} s`;
  const kind = `keys-${trouble && errorKind(trouble)}`;
  const remedy = SENTENCES.text(SENTENCES.has(kind) ? kind : 'keys-need-healthy');
  return SENTENCES.problem('keys-not-written', { why: why.replace(/\.+$/, ''), remedy });
}
