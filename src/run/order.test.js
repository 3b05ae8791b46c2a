/**
 * The order of rounds, as a result shows it: by the times at which rounds began.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { roundOf } from '../report/fixture.js';
import { randomFrom } from '../stats/random.js';
import { makeCase } from './case.js';
import { createEstimate } from './estimate.js';
import { PROFILES } from './profiles.js';
import { measureBenchmark } from './rounds.js';

/**
 * @import { BenchmarkResult } from '../result/schema.js'
 * @import { Testbed } from './rounds.js'
 * @import { CustomBenchmark } from './types.js'
 */

const ROUNDS = 12;
const CASES = [1, 10, 100, 1000].map((pipeline) => makeCase({ pipeline }));
const NOW = Date.UTC(2026, 0, 1);

/**
 * Rounds that take no time: their times are their places in the order.
 *
 * @param {number} seed of the run
 * @returns {Promise<BenchmarkResult>}
 */
async function measured(seed) {
  let place = 0;
  /** @type {CustomBenchmark} */
  const benchmark = {
    name: 'order',
    question: 'In which order are rounds measured?',
    method: 'Nothing is measured.',
    needs: [],
    kind: 'custom',
    stacks: { sentinels: false },
    measure: async () => ({ ...roundOf({ writes: 1000 }), startedAt: new Date(NOW + 1000 * place++).toISOString() }),
    cases: () => CASES,
    table: [],
    findings: () => [],
    checks: () => [],
  };
  const testbed = /** @type {Testbed} */ (
    /** @type {Partial<Testbed>} */ ({
      stack: /** @type {any} */ ({
        primary: async () => ({ id: 'redis-1' }),
        system: { keys: { remove: async () => 0 } },
      }),
      controls: new Map([['redis-1', /** @type {any} */ ({})]]),
      primary: /** @type {any} */ ({ id: 'redis-1' }),
      tuning: {
        become: async () => {},
        willWrite: async () => async () => {},
        back: async () => {},
        close: async () => {},
      },
      profile: { ...PROFILES.quick, rounds: ROUNDS },
      random: randomFrom(seed),
      signal: new AbortController().signal,
    })
  );
  const ui = { progress: { tell() {}, now() {}, stop() {} }, estimate: createEstimate(), seed };
  return measureBenchmark(testbed, benchmark, CASES, { prefix: 'sentinel-bench:order:', count: 1 }, ui);
}

/**
 * @param {BenchmarkResult} result
 * @returns {string[][]} the ids of the cases in the order of measuring, round by round
 */
function orderOf({ cases }) {
  const byTime = cases
    .flatMap(({ id, rounds }) => rounds.map(({ startedAt }) => ({ id, at: Date.parse(startedAt) })))
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id);
  return Array.from({ length: ROUNDS }, (_, round) => byTime.slice(round * CASES.length, (round + 1) * CASES.length));
}

describe('rounds', () => {
  test('each round has every case once, so a slow minute affects all cases alike', async () => {
    for (const round of orderOf(await measured(1))) {
      assert.deepEqual([...round].sort(), CASES.map(({ id }) => id).sort());
    }
  });

  test('the order is another one from round to round', async () => {
    const orders = new Set(orderOf(await measured(1)).map(String));
    // Of 24 possible orders, 12 random ones are fewer than 5 different ones in less than one of 100,000 runs.
    assert.ok(orders.size >= 5, `${orders.size} orders in ${ROUNDS} rounds`);
  });

  test('the same seed gives the same order, and another seed gives another', async () => {
    const [one, again, other] = [await measured(7), await measured(7), await measured(8)].map(orderOf);
    assert.deepEqual(again, one);
    assert.notDeepEqual(other, one);
  });

  test('the n-th rounds of two cases are of the same round, so they can be paired', async () => {
    const { cases } = await measured(3);
    for (const { rounds } of cases) {
      const places = rounds.map(({ startedAt }) => (Date.parse(startedAt) - NOW) / 1000);
      assert.deepEqual(
        places.map((place) => Math.floor(place / CASES.length)),
        places.map((_, round) => round),
      );
    }
  });
});
