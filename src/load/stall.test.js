/**
 * The stall test: a primary that stands still for a second. What users waited follows from arithmetic; an open loop must show
 * it, and a closed loop is shown not to.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startNode } from '../client/conformance/nodes.js';
import { decodeHistogram } from '../measure/histogram.js';
import { startLoadThread } from './load-thread.js';

const SECONDS = 10;
const STALL_BEGINS_SECONDS = 4;
const STALL_SECONDS = 1;
const RATE = 500;
const CONNECTIONS = 10;
/** Share of the stall that a percentile may be off: the backlog takes a moment to drain, and threads wait for a CPU. */
const TOLERANCE = 0.05;
const PERCENTILES = [91, 92, 95, 97, 99, 99.5, 99.9];

/**
 * Runs a load whose server is stopped (SIGSTOP) meanwhile.
 *
 * @param {import('node:test').TestContext} t
 * @param {Partial<import('./types.js').RoundPlan>} changes
 */
async function stalledRound(t, changes) {
  const node = await startNode();
  const thread = startLoadThread();
  t.after(async () => {
    await thread.close();
    await node.close();
  });
  await thread.prepare({
    generator: 'writes',
    client: 'native',
    primary: node.address,
    replicas: [],
    shape: {
      payloadBytes: 64,
      pipeline: 1,
      waitReplicas: 0,
      waitTimeoutMs: 1000,
      habit: 'one-flush',
      keyPrefix: 'sentinel-bench:stall:',
    },
    connections: CONNECTIONS,
    backgroundConnections: 0,
    keyspace: 1000,
    seconds: SECONDS,
    warmUpSeconds: 0.2,
    seed: 1,
    ...changes,
  });
  const going = thread.go();
  await delay(STALL_BEGINS_SECONDS * 1000);
  const stoppedAt = performance.now();
  node.pause();
  await delay(STALL_SECONDS * 1000);
  node.resume();
  const stallSeconds = (performance.now() - stoppedAt) / 1000;
  return { sample: await going, stallSeconds };
}

/**
 * Operations are due evenly, so those due during the stall wait for anything between nothing and all of it, evenly; all
 * others hardly wait. Sorted by their wait, the last `stall / SECONDS` of them rise from 0 to the stall.
 *
 * @param {number} percentile
 * @param {number} stallSeconds
 */
function predictedSeconds(percentile, stallSeconds) {
  return Math.max(0, stallSeconds - (1 - percentile / 100) * SECONDS);
}

test('open loop: a stall shows in the percentiles as arithmetic predicts', async (t) => {
  const openLoop = { rate: RATE, arrivals: /** @type {const} */ ('constant'), graceSeconds: 1 };
  const { sample, stallSeconds } = await stalledRound(t, { openLoop });
  assert.equal(sample.openLoop?.due, RATE * SECONDS);
  assert.equal(sample.outcomes.acked, RATE * SECONDS, 'every write that was due was answered');
  const response = decodeHistogram(sample.histogram);
  const service = decodeHistogram(sample.openLoop.serviceHistogram);
  for (const percentile of PERCENTILES) {
    const predicted = predictedSeconds(percentile, stallSeconds);
    const measured = response.getValueAtPercentile(percentile) / 1e9;
    t.diagnostic(
      `p${percentile}: predicted ${predicted.toFixed(3)} s, response time ${measured.toFixed(3)} s, ` +
        `service time ${(service.getValueAtPercentile(percentile) / 1e9).toFixed(4)} s`,
    );
    const off = Math.abs(measured - predicted);
    assert.ok(off <= TOLERANCE * stallSeconds, `p${percentile}: ${measured} s instead of ${predicted} s`);
  }
});

test('closed loop: the same stall is hardly to be seen, which is why its figures are called service time', async (t) => {
  const { sample, stallSeconds } = await stalledRound(t, {});
  const histogram = decodeHistogram(sample.histogram);
  for (const percentile of PERCENTILES) {
    t.diagnostic(`p${percentile}: service time ${(histogram.getValueAtPercentile(percentile) / 1e9).toFixed(4)} s`);
  }
  assert.ok(sample.latencyNs.max / 1e9 >= 0.9 * stallSeconds, 'only the batches under way wait');
  assert.ok(
    sample.latencyNs.p999 / 1e9 < 0.1 * predictedSeconds(99.9, stallSeconds),
    `p99.9 of ${sample.latencyNs.p999 / 1e9} s hides a stall of ${stallSeconds} s`,
  );
});
