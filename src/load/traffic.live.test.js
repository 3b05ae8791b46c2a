import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startNode, until } from '../clients/conformance/nodes.js';
import { decodeHistogram } from '../stats/histogram.js';
import { startTraffic } from './traffic.js';

/** @import { Traffic, TrafficPlan } from './traffic.js' */

const WRITES = ['set', 'incr', 'incrby', 'hincrby', 'expire'];
const READS = ['exists', 'ttl', 'strlen'];

/**
 * In parts, because a stall of the machine spoils one of them only: the traffic's thread has run when all are over.
 * @param {number} ms
 */
async function passes(ms) {
  for (let part = 0; part < 10; part++) await delay(ms / 10);
}

describe('traffic, on a real server', () => {
  /** @type {import('../clients/conformance/nodes.js').StartedNode} */
  let node;
  /** @type {Traffic[]} */
  let running;

  before(async () => {
    node = await startNode(['--repl-diskless-sync', 'no']);
  });
  after(() => node?.close());
  beforeEach(async () => {
    running = [];
    await node.call('FLUSHALL');
    await node.call('CONFIG', 'RESETSTAT');
  });
  afterEach(() => Promise.all(running.map((traffic) => traffic.close())));

  /** @param {Partial<TrafficPlan>} [changes] */
  async function start(changes) {
    const traffic = await startTraffic({
      target: node.address,
      keyPrefix: 'sentinel-bench:traffic:',
      pattern: 'regular',
      keys: 1000,
      payloadBytes: 16,
      writeShare: 0.62,
      requestsPerSecond: 0,
      connections: 3,
      batch: 7,
      seed: 1,
      ...changes,
    });
    running.push(traffic);
    return traffic;
  }

  /** @param {string[]} commands */
  const calls = async (commands) => {
    const counts = await Promise.all(commands.map((command) => node.calls(command)));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  for (const pattern of /** @type {const} */ (['regular', 'random'])) {
    test(`${pattern}: its counts are those of the server, and every request is answered`, async () => {
      const traffic = await start({ pattern });
      await until(async () => (await calls(WRITES)) > 1000, 'a thousand writes');
      const sample = await traffic.stop();
      assert.equal(sample.writes, await calls(WRITES));
      assert.equal(sample.requests, await calls([...WRITES, ...READS]));
      assert.deepEqual(sample.outcomes, { acked: sample.requests, underAcked: 0, rejected: 0, unknown: 0 });
      assert.deepEqual(sample.errors, {});
      assert.equal(sample.unsent, 0);
      assert.ok(Math.abs(sample.writes / sample.requests - 0.62) < 0.01, `${sample.writes} of ${sample.requests}`);
      assert.equal(decodeHistogram(sample.histogram).totalCount, sample.requests);
      assert.ok(sample.seconds > 0);
      assert.equal(await traffic.stop(), sample, 'once is enough');
    });
  }

  test('it keeps the rate, and response time counts from the scheduled send', async () => {
    const rate = 5000;
    const earliest = performance.now();
    const traffic = await start({ requestsPerSecond: rate, batch: 10 });
    const latest = performance.now();
    await passes(300);
    // Nothing is answered meanwhile, and what was due then was due when it was.
    node.pause();
    const paused = performance.now();
    await passes(200);
    const resuming = performance.now();
    const pausedMs = resuming - paused;
    node.resume();
    const owed = ((resuming - earliest) / 1000) * rate;
    await until(async () => (await calls([...WRITES, ...READS])) >= owed, 'what was due by then has left');
    const stopping = performance.now();
    const { requests, unsent, histogram, outcomes } = await traffic.stop();
    const stopped = performance.now();
    assert.equal(outcomes.acked, requests);
    const due = requests + unsent;
    const [least, most] = [stopping - latest, stopped - earliest].map((ms) => (ms / 1000) * rate);
    assert.ok(due >= least - 10 && due <= most + 10, `${due} were due, not ${least} … ${most}`);
    const times = decodeHistogram(histogram);
    assert.ok(times.maxValue >= pausedMs * 0.9e6, `the longest took ${times.maxValue} ns of ${pausedMs} ms`);
    // All that were due in the first half of that time took the other half, not only those that were under way.
    const share = ((pausedMs / 2 / 1000) * rate) / requests;
    const late = times.getValueAtPercentile(100 * (1 - share * 0.8));
    assert.ok(late >= (pausedMs / 2) * 0.9e6, `${share} of them took ${late} ns at the most`);
  });

  test('lost connections leave unknown outcomes, and requests due later are unsent', async () => {
    const traffic = await start({ requestsPerSecond: 2000, batch: 5 });
    await until(async () => (await calls(WRITES)) > 100, 'a hundred writes');
    await node.kill();
    await passes(500);
    const { outcomes, requests, unsent, errors } = await traffic.stop();
    await node.start();
    assert.equal(outcomes.acked + outcomes.unknown, requests);
    assert.equal(errors.CLOSED, 3);
    assert.ok(unsent >= 200, `${unsent} unsent`);
  });
});
