/**
 * Trials of all cases take turns in an order that the seed determines, so that a slow minute affects all cases alike.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { keepStateApart } from '../faults/fixture.js';
import { randomFrom } from '../stats/random.js';
import { makeCase } from './case.js';
import { createEstimate } from './estimate.js';
import { startMemoryStack } from './memory-system-fixture.js';
import { PROFILES } from './profiles.js';
import { measureFailures } from './trials.js';

/** @import { TrialBenchmark } from './types.js' */

const TRIALS = 4;
const CASES = [1, 2, 3].map((connections) => makeCase({ writers: ['sticky'], rate: 100, connections }));

describe('trials', () => {
  const folder = keepStateApart();
  /** @type {Awaited<ReturnType<typeof startMemoryStack>>} */
  let stack;
  before(async () => {
    stack = await startMemoryStack();
  });
  after(() => stack.stop());

  /**
   * @param {number} seed of the run
   * @returns {Promise<string[][]>} the cases in the order of their trials, round by round
   */
  async function orderOf(seed) {
    /** @type {string[]} */
    const order = [];
    /** @type {TrialBenchmark} */
    const benchmark = {
      ...{ name: 'order', question: 'In which order are trials run?', method: 'Each trial ends at once.', needs: [] },
      ...{ kind: 'trial', cases: () => CASES, table: [], findings: () => [], checks: () => [] },
      script: async () => {},
    };
    // Trials that cannot begin take no time, and have a place in the order all the same.
    const { database } = stack;
    const failover = { ...database.failover, downAfterMs: () => Promise.reject(new Error('not known')) };
    const unknowable = { ...stack, about: { ...stack.about, ours: false }, database: { ...database, failover } };
    await measureFailures([{ benchmark, cases: CASES }], {
      testbed: /** @type {any} */ ({
        stack: unknowable,
        profile: { ...PROFILES.quick, trials: TRIALS },
        random: randomFrom(seed),
        signal: new AbortController().signal,
      }),
      stack: { backend: 'local' },
      folder: async () => folder,
      seed,
      progress: {
        ...{ tell() {}, now() {}, stop() {} },
        happens(_lane, title, events) {
          if (title !== null && events?.at(-1) === 'starting') order.push(title.slice(benchmark.name.length + 1));
        },
      },
      estimate: createEstimate(),
    });
    return Array.from({ length: TRIALS }, (_, round) => order.slice(round * CASES.length, (round + 1) * CASES.length));
  }

  test('each round of trials has every case once; the seed determines the order', async () => {
    const [one, again, other] = [await orderOf(7), await orderOf(7), await orderOf(8)];
    for (const round of one) assert.deepEqual([...round].sort(), CASES.map(({ id }) => id).sort());
    assert.ok(new Set(one.map(String)).size > 1, 'another order from round to round');
    assert.deepEqual(again, one);
    assert.notDeepEqual(other, one);
  });
});
