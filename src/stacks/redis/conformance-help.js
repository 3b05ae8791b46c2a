import assert from 'node:assert/strict';
import { KEY_NAMESPACE } from '../../clients/types.js';
import { nodeOf } from '../ask.js';
import { holdsInTime } from '../fixture.js';
import { connectControl, isReplyError } from './control.js';
import { toRecord } from './observe.js';
import { whyNotReady } from './readiness.js';
import { SENTINEL_SETTINGS } from './settings.js';

/**
 * @import { Stack, NodeInfo } from '../types.js'
 * @import { Snapshot } from './observe.js'
 */

/**
 * Helpers of the tests of all backends.
 */

export const KEY = `${KEY_NAMESPACE}conformance`;

/** A node that runs answers within this, however busy the machine. */
const PATIENT_MS = 20_000;

/** How long to wait for a node that should not answer. */
const SILENT_MS = 300;

/** When a Sentinel changes a node's role it closes every connection to it, so a question may have to be repeated. */
const ATTEMPTS = 5;

/**
 * @param {string} what
 * @param {() => Promise<unknown>} condition polled until it is true; a failed assertion counts at once, any other error counts as not yet
 */
export async function eventually(what, condition) {
  /** @type {unknown} */
  let cause;
  const holds = async () => {
    try {
      return await condition();
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      cause = error;
      return false;
    }
  };
  if (!(await holdsInTime(holds))) {
    const why = cause instanceof Error ? ` (${cause.message})` : '';
    throw new Error(`${what}: not in time${why}`, { cause });
  }
}

/**
 * Asks a node that runs.
 *
 * @param {Stack} stack
 * @param {string} id
 * @param {...string} command may be repeated
 */
export async function ask(stack, id, ...command) {
  const [name, ...args] = command;
  for (let attempt = 1; ; attempt += 1) {
    const control = await connectControl(nodeOf(stack, id).address, {}, { timeoutMs: PATIENT_MS });
    try {
      return await control.call(name, ...args);
    } catch (error) {
      if (!control.lost() || attempt === ATTEMPTS) throw error;
    } finally {
      control.close();
    }
  }
}

/** For a WAIT that ends with the last acknowledgement. */
const PATIENT_WAIT_MS = 20_000;

/**
 * A write and its WAIT, on one connection.
 *
 * @param {Stack} stack
 * @param {number} replicas
 * @param {{id?: string, waitMs?: number}} [options] id: of the node; default: the primary
 * @returns {Promise<{reached: number, ms: number}>} how many replicas acknowledge the write, and how long that took
 */
export async function writeAndWait(stack, replicas, { id, waitMs = PATIENT_WAIT_MS } = {}) {
  const { address } = id === undefined ? await stack.database.primary() : nodeOf(stack, id);
  const control = await connectControl(address, {}, { timeoutMs: 2 * PATIENT_WAIT_MS });
  try {
    const began = performance.now();
    const written = control.call('SET', KEY, began);
    const reached = Number(await control.call('WAIT', replicas, waitMs));
    const ms = performance.now() - began;
    assert.equal(await written, 'OK');
    return { reached, ms };
  } finally {
    control.close();
  }
}

/** What a failover changes by design. */
const OF_ROLES = ['replicaof', 'slaveof'];

/**
 * @param {Stack} stack all of whose nodes are up
 * @returns {Promise<Record<string, Record<string, string>>>} every setting of every node, but for those that say whom it follows
 */
export async function settingsOf(stack) {
  const entries = await Promise.all(
    stack.nodes.map(async ({ id, kind }) => {
      const command = kind === 'sentinel' ? ['SENTINEL', 'MASTER', stack.access.masterName] : ['CONFIG', 'GET', '*'];
      const all = Object.entries(toRecord(await ask(stack, id, ...command)));
      const lasting = all.filter(([name]) =>
        kind === 'sentinel' ? SENTINEL_SETTINGS.includes(name) : !OF_ROLES.includes(name),
      );
      return [id, Object.fromEntries(lasting)];
    }),
  );
  return Object.fromEntries(entries);
}

/**
 * Asks a node of which no answer is expected.
 *
 * @param {Stack} stack
 * @param {string} id
 * @param {string} [name]
 * @param {...string} args
 * @returns {Promise<Error | null>} why there was none; null: it answered, if only with an error
 */
export async function silence(stack, id, name = 'PING', ...args) {
  try {
    const control = await connectControl(nodeOf(stack, id).address, {}, { timeoutMs: SILENT_MS });
    try {
      await control.call(name, ...args);
      return null;
    } finally {
      control.close();
    }
  } catch (error) {
    return isReplyError(error) ? null : /** @type {Error} */ (error);
  }
}

/** What a connection says whose other side is there and keeps silent. */
export const NO_ANSWER = /timed out|ETIMEDOUT/i;

/**
 * @param {Stack} stack
 * @returns {Promise<Snapshot>} in which every node has answered
 */
export async function wholeSnapshot(stack) {
  let snapshot = await stack.database.observe();
  await eventually('every node answers', async () => {
    const answered = [...snapshot.redis, ...snapshot.sentinels].every(({ error }) => error === null);
    if (!answered) snapshot = await stack.database.observe();
    return answered;
  });
  return snapshot;
}

/**
 * @param {Stack} stack all of whose nodes are up
 * @returns {Promise<NodeInfo[]>} both; who is asked just when the machine has no time is not left out
 */
export async function bothReplicas(stack) {
  /** @type {NodeInfo[]} */
  let replicas = [];
  await eventually('there are two replicas', async () => {
    replicas = await stack.database.replicas();
    assert.ok(replicas.length <= 2, replicas.map(({ id }) => id).join());
    return replicas.length === 2;
  });
  return replicas;
}

/** @param {Stack} stack */
export async function isReady(stack) {
  return whyNotReady(await stack.database.observe()).length === 0;
}

/**
 * Doubts that remain after the machine stalled for a second or two: a node did not answer in time or lost its connections, a Sentinel
 * is in TILT, or it closed a connection or flagged a node for a moment.
 */
const OF_A_STALL =
  /^most Sentinels do not agree|does not answer: (?!.*(REFUSED|UNREACH))| is in TILT| flags .*(disconnected|[so]_down)/;

/**
 * Doubts about a stack that was ready a moment ago. Sentinels publish to the primary all the time, so a replica that is asked after it
 * may seem some bytes behind. Doubts that a stall explains are checked again.
 *
 * @param {Stack} stack
 */
export async function doubts(stack) {
  let found = /** @type {string[]} */ ([]);
  const areFinal = async () => {
    found = whyNotReady(await stack.database.observe()).filter((doubt) => !/ is \d{1,4} bytes behind /.test(doubt));
    return found.length === 0 || !found.every((doubt) => OF_A_STALL.test(doubt));
  };
  await holdsInTime(areFinal);
  return found;
}
