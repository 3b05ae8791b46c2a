import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { KEY_NAMESPACE } from '../../clients/types.js';
import { connectControl, isReplyError } from './control.js';
import { whyNotReady } from './readiness.js';

/**
 * @import { Cluster, NodeInfo } from '../types.js'
 * @import { Snapshot } from './observe.js'
 */

/**
 * What the tests of all backends ask of a stack.
 */

export const KEY = `${KEY_NAMESPACE}conformance`;

/** Long enough for a busy machine, also for one that has put Sentinels into TILT (30 s); what hangs is noticed. */
const DEADLINE_MS = 90_000;

/** A node that is there answers within this, however busy the machine. */
const PATIENT_MS = 20_000;

/** What is asked of a node that does not answer: nobody waits for it longer than this. */
const SILENT_MS = 300;

/** A Sentinel that gives a node another role closes every connection to it: who asked just then asks again. */
const ATTEMPTS = 5;

/**
 * @param {string} what
 * @param {() => Promise<unknown>} condition polled until it is true; a failed assertion counts at once, any other error as not yet
 */
export async function eventually(what, condition) {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    /** @type {unknown} */
    let cause;
    try {
      if (await condition()) return;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      cause = error;
    }
    if (performance.now() >= deadline) throw new Error(`${what}: not within ${DEADLINE_MS / 1000} s`, { cause });
    await delay(20);
  }
}

/**
 * @param {Cluster} cluster
 * @param {string} id
 */
export function nodeOf(cluster, id) {
  const node = cluster.nodes.find((each) => each.id === id);
  assert.ok(node, `there is a ${id}`);
  return node;
}

/**
 * Asks a node that is there.
 *
 * @param {Cluster} cluster
 * @param {string} id
 * @param {...string} command does no harm when it is asked again
 */
export async function ask(cluster, id, ...command) {
  const [name, ...args] = command;
  for (let attempt = 1; ; attempt += 1) {
    const control = await connectControl(nodeOf(cluster, id).address, {}, { timeoutMs: PATIENT_MS });
    try {
      return await control.call(name, ...args);
    } catch (error) {
      if (!control.lost() || attempt === ATTEMPTS) throw error;
    } finally {
      control.close();
    }
  }
}

/**
 * Asks a node of which no answer is expected.
 *
 * @param {Cluster} cluster
 * @param {string} id
 * @param {string} [name]
 * @param {...string} args
 * @returns {Promise<Error | null>} why there was none; null: it answered, if only with an error
 */
export async function silence(cluster, id, name = 'PING', ...args) {
  try {
    const control = await connectControl(nodeOf(cluster, id).address, {}, { timeoutMs: SILENT_MS });
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
 * @param {Cluster} cluster
 * @returns {Promise<Snapshot>} in which every node has answered
 */
export async function wholeSnapshot(cluster) {
  let snapshot = await cluster.observe();
  await eventually('every node answers', async () => {
    const answered = [...snapshot.redis, ...snapshot.sentinels].every(({ error }) => error === null);
    if (!answered) snapshot = await cluster.observe();
    return answered;
  });
  return snapshot;
}

/**
 * @param {Cluster} cluster all of whose nodes are up
 * @returns {Promise<NodeInfo[]>} both; who is asked just when the machine has no time is not left out
 */
export async function bothReplicas(cluster) {
  /** @type {NodeInfo[]} */
  let replicas = [];
  await eventually('there are two replicas', async () => {
    replicas = await cluster.replicas();
    assert.ok(replicas.length <= 2, replicas.map(({ id }) => id).join());
    return replicas.length === 2;
  });
  return replicas;
}

/** @param {Cluster} cluster */
export async function isReady(cluster) {
  return whyNotReady(await cluster.observe()).length === 0;
}

/**
 * What a machine shows that stood still for a second or two: a node that was asked then has not answered in time or lost its
 * connections, a Sentinel is in TILT, or has closed a connection or given a node up for a moment.
 */
const OF_A_STALL =
  /^most Sentinels do not agree|does not answer: (?!.*(REFUSED|UNREACH))| is in TILT| holds .*(disconnected|[so]_down)/;

/**
 * What a stack that was ready a moment ago may not show. The Sentinels publish to the primary at all times, so that of nodes
 * asked one after the other a replica can be found some bytes behind. What may come of a stall is looked at again.
 *
 * @param {Cluster} cluster
 */
export async function doubts(cluster) {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const found = whyNotReady(await cluster.observe()).filter((doubt) => !/ is \d{1,4} bytes behind /.test(doubt));
    const passing = found.length > 0 && found.every((doubt) => OF_A_STALL.test(doubt));
    if (!passing || performance.now() >= deadline) return found;
    await delay(20);
  }
}
