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

/**
 * @import { RoundPlan } from './types.js'
 * @import { TestContext } from 'node:test'
 */

const SECONDS = 10;
const STALL_BEGINS_SECONDS = 4;
const STALL_SECONDS = 1;
const RATE = 500;
const CONNECTIONS = 10;
/** Share of the stall that a percentile may be below what is predicted. Nothing that a busy machine does makes it so. */
const TOO_LOW = 0.05;
/** And above: the backlog takes a moment to drain, and threads wait for a CPU. */
const TOO_HIGH = 0.25;
/** Rounds of which one must not be above: stalls that a busy machine adds make a round worse, never better. */
const ROUNDS = 5;
const LATE_MS = 25;
const PERCENTILES = [91, 92, 95, 97, 99, 99.5, 99.9];

/**
 * Runs a load whose server is stopped (SIGSTOP) meanwhile.
 * @param {TestContext} t
 * @param {Partial<RoundPlan>} changes
 */
async function stalledRound(t, changes) {
  const node = await startNode();
  const thread = startLoadThread();
  t.after(async () => {
    await thread.close();
    await node.close();
  });
  const { address: primary } = node;
  await thread.prepare(
    roundPlan({ primary, connections: CONNECTIONS, seconds: SECONDS, warmUpSeconds: 0.2, ...changes }),
  );
  const going = thread.go();
  const stoodStill = watchMachine();
  await delay(STALL_BEGINS_SECONDS * 1000);
  const pausing = performance.now();
  node.pause();
  const paused = performance.now();
  await delay(STALL_SECONDS * 1000);
  const resuming = performance.now();
  node.resume();
  const resumed = performance.now();
  const sample = await going;
  // What this thread itself had to wait for a CPU in between may belong to the stall, or not.
  return {
    sample,
    stallSeconds: (resuming - paused) / 1000,
    mostSeconds: (resumed - pausing) / 1000 + stoodStill(),
  };
}

/** @returns {() => number} ends the watch: for how many seconds in all this thread could not run */
function watchMachine() {
  let last = performance.now();
  let lateMs = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - last > LATE_MS) lateMs += now - last;
    last = now;
  }, 5);
  return () => {
    clearInterval(timer);
    return lateMs / 1000;
  };
}

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
  // What is overdue when the last write was due may still leave, however late the machine is.
  const openLoop = { rate: RATE, arrivals: /** @type {const} */ ('constant'), graceSeconds: 60 };
  /** @type {string[]} */
  let tooHigh = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { sample, stallSeconds, mostSeconds } = await stalledRound(t, { openLoop });
    assert.equal(sample.openLoop?.due, RATE * SECONDS);
    assert.equal(sample.outcomes.acked, RATE * SECONDS, 'every write that was due was answered');
    const response = decodeHistogram(sample.histogram);
    const service = decodeHistogram(sample.openLoop.serviceHistogram);
    tooHigh = [];
    for (const percentile of PERCENTILES) {
      const predicted = predictedSeconds(percentile, stallSeconds);
      const most = predictedSeconds(percentile, mostSeconds);
      const measured = response.getValueAtPercentile(percentile) / 1e9;
      const message =
        `p${percentile}: predicted ${predicted.toFixed(3)} … ${most.toFixed(3)} s, response time ${measured.toFixed(3)} s, ` +
        `service time ${(service.getValueAtPercentile(percentile) / 1e9).toFixed(4)} s`;
      t.diagnostic(message);
      assert.ok(measured >= predicted - TOO_LOW * stallSeconds, message);
      if (measured > most + TOO_HIGH * stallSeconds) tooHigh.push(message);
    }
    if (tooHigh.length === 0) break;
  }
  assert.deepEqual(tooHigh, [], `none of ${ROUNDS} rounds was as short as predicted`);
});
