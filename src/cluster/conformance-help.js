import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { connectControl } from './control.js';
import { whyNotReady } from './readiness.js';
import { KEY_NAMESPACE } from './topology.js';

/**
 * What the tests of all backends ask of a stack.
 *
 * @typedef {import('./types.js').Cluster} Cluster
 */

export const KEY = `${KEY_NAMESPACE}conformance`;

/** Long enough for a busy machine, short enough to notice what hangs. */
const DEADLINE_MS = 30_000;

/** A node that answers at all answers within this. */
const SILENT_MS = 300;

/**
 * @param {string} what
 * @param {() => Promise<unknown>} condition polled until it is true
 */
export async function eventually(what, condition) {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `${what}: not within ${DEADLINE_MS / 1000} s`);
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
 * @param {Cluster} cluster
 * @param {string} id
 * @param {...string} command
 */
export async function ask(cluster, id, ...command) {
  const control = await connectControl(nodeOf(cluster, id).address, {}, { timeoutMs: SILENT_MS });
  try {
    const [name, ...args] = command;
    return await control.call(name, ...args);
  } finally {
    control.close();
  }
}

/** @param {Cluster} cluster */
export async function isReady(cluster) {
  return whyNotReady(await cluster.observe()).length === 0;
}

/**
 * What a stack that was ready a moment ago may not show. The Sentinels publish to the primary at all times, so that of nodes
 * asked one after the other a replica can be found some bytes behind.
 *
 * @param {Cluster} cluster
 */
export async function doubts(cluster) {
  return whyNotReady(await cluster.observe()).filter((doubt) => !/ is \d{1,4} bytes behind /.test(doubt));
}
