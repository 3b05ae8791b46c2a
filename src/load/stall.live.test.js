/**
 * The stall test: a primary that hangs for a second. What users waited follows from arithmetic, and an open loop must show it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startNode } from '../clients/conformance/nodes.js';
import { decodeHistogram } from '../stats/histogram.js';
import { roundPlan } from './fixture.js';
import { startLoadThread } from './load-thread.js';

const SECONDS = 10;
const STALL_BEGINS_SECONDS = 4;
const STALL_SECONDS = 1;
const RATE = 500;
const CONNECTIONS = 10;
/** Share of the stall that a percentile may be below what is predicted. Nothing that a busy machine does makes it so. */
const TOO_LOW = 0.05;
const PERCENTILES = [91, 92, 95, 97, 99, 99.5, 99.9];

/**
 * Operations are due evenly, so those due during the stall wait for anything between nothing and all of it, evenly; all
 * others hardly wait. Sorted by their wait, the last `stall / SECONDS` of them rise from 0 to the stall.
 * @param {number} percentile
 * @param {number} stallSeconds
 */
function predictedSeconds(percentile, stallSeconds) {
  return Math.max(0, stallSeconds - (1 - percentile / 100) * SECONDS);
}

test('open loop: a stall shows in the percentiles as arithmetic predicts', async (t) => {
  const node = await startNode();
  const thread = startLoadThread();
  t.after(async () => {
    await thread.close();
    await node.close();
  });
  // What is overdue when the last write was due may still leave, however late the machine is.
  const openLoop = { rate: RATE, arrivals: /** @type {const} */ ('constant'), graceSeconds: 60 };
  const plan = { primary: node.address, connections: CONNECTIONS, seconds: SECONDS, warmUpSeconds: 0.2, openLoop };
  await thread.prepare(roundPlan(plan));
  const going = thread.go();
  await delay(STALL_BEGINS_SECONDS * 1000);
  node.pause();
  const paused = performance.now();
  await delay(STALL_SECONDS * 1000);
  const stallSeconds = (performance.now() - paused) / 1000;
  node.resume();
  const sample = await going;
  assert.equal(sample.openLoop?.due, RATE * SECONDS);
  assert.equal(sample.outcomes.acked, RATE * SECONDS, 'every write that was due was answered');
  const response = decodeHistogram(sample.histogram);
  for (const percentile of PERCENTILES) {
    const predicted = predictedSeconds(percentile, stallSeconds);
    const measured = response.getValueAtPercentile(percentile) / 1e9;
    const message = `p${percentile}: predicted ${predicted.toFixed(3)} s, response time ${measured.toFixed(3)} s`;
    t.diagnostic(message);
    assert.ok(measured >= predicted - TOO_LOW * stallSeconds, message);
  }
});
