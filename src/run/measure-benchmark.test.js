/** One benchmark as a whole: its document, what is shown meanwhile, and what is put back at the end. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeCase } from './case.js';
import { measureBenchmark, measureRounds } from './rounds.js';
import { benchmarkOf, benchOf, PRIMARY, REPLICAS } from './rounds-fixture.js';

/** @import { Case, CustomBenchmark, LoadBenchmark } from './types.js' */

const KEYS = { prefix: 'sentinel-bench:t:', count: 100 };
const CASES = [makeCase({}), makeCase({ wait: 1 }, { wait: 0 }), makeCase({ pipeline: 100 })];
const [ASYNC, WAIT, DEEP] = CASES.map(({ id }) => id);
/** Half as fast with WAIT. */
const HALF = (/** @type {{shape: {waitReplicas: number}}} */ { shape }) => (shape.waitReplicas > 0 ? 500 : 1000);

/**
 * A testbed with a control connection to the primary, which knows its samples.
 * @param {Parameters<typeof benchOf>[0]} options
 */
function wholeTestbed(options) {
  const control = /** @type {any} */ ({ id: 'control of the primary' });
  const { more, ...others } = options ?? {};
  const made = benchOf({ ...others, more: { controls: new Map([[PRIMARY.id, control]]), ...more } });
  const { testbed, calls } = made;
  Object.assign(testbed.tuning, {
    async willWrite(/** @type {string} */ prefix) {
      calls.push(['will write', prefix]);
      return async () => calls.push(['removed']);
    },
    back: async () => calls.push(['settings back']),
  });
  Object.assign(testbed.stack.database, {
    samples: {
      cpu: async () => ({ cpuSeconds: null, mainThreadCpuSeconds: null }),
      state: async () => ({ runId: 'a', memoryBytes: null, counters: null }),
    },
    keys: {
      remove: async (/** @type {unknown} */ by, /** @type {unknown} */ keys) => calls.push(['removes', by, keys]),
    },
  });
  return { ...made, control };
}

/**
 * @param {Case[]} cases
 * @param {Parameters<typeof benchOf>[0] & {benchmark?: Partial<LoadBenchmark>, parameters?: any}} [options]
 */
async function documentOf(cases, { benchmark, parameters, ...options } = {}) {
  const { testbed, calls, control } = wholeTestbed({ throughput: HALF, ...options });
  const messages = /** @type {string[]} */ ([]);
  const shown = /** @type {string[]} */ ([]);
  const figures = /** @type {string[]} */ ([]);
  const ended = /** @type {number[]} */ ([]);
  const planned = /** @type {[seconds: number, times: number][]} */ ([]);
  const result = await measureBenchmark(testbed, benchmarkOf(benchmark), cases, KEYS, {
    progress: /** @type {any} */ ({
      tell: (/** @type {string} */ line) => messages.push(line),
      now: (/** @type {string} */ text) => shown.push(text),
      figures: (/** @type {string} */ text) => figures.push(text),
    }),
    estimate: /** @type {any} */ ({
      left: () => 'a minute left',
      plan: (/** @type {{seconds: number}} */ { seconds }, /** @type {number} */ times) =>
        planned.push([seconds, times]),
      ended: (/** @type {{seconds: number}} */ { seconds }) => ended.push(seconds),
    }),
    seed: 7,
    parameters,
  });
  return { result, calls, control, messages, shown, figures, ended, planned };
}

const ids = (/** @type {{cases: readonly {id: string}[]}} */ { cases }) => cases.map(({ id }) => id);

test('the document of a benchmark has each case with its rounds, and its ratio to the baseline', async () => {
  const { result } = await documentOf(CASES, { rounds: 3 });
  assert.deepEqual([result.name, result.status, ids(result)], ['load', 'ok', [ASYNC, WAIT, DEEP]]);
  const [async, wait, deep] = result.cases;
  assert.deepEqual(
    result.cases.map(({ rounds }) => rounds.length),
    [3, 3, 3],
  );
  assert.deepEqual(wait.params, CASES[1].params);
  assert.equal(wait.summary.relativeToBaseline?.baseline, ASYNC);
  assert.equal(wait.summary.relativeToBaseline?.throughput.median, 0.5);
  assert.equal(async.summary.relativeToBaseline, undefined);
  assert.equal(deep.summary.relativeToBaseline, undefined);
});

describe('cases that depend on what was measured', () => {
  const rates = (/** @type {number[]} */ ...values) => values.map((rate) => makeCase({ rate }));

  test('are measured until no more come, and sorted among the others', async () => {
    const seen = /** @type {string[][]} */ ([]);
    const [low, middle, high] = rates(90, 100, 1000);
    const { result, planned, messages } = await documentOf([low, high], {
      rounds: 2,
      benchmark: {
        more(soFar) {
          seen.push(ids(soFar));
          return seen.length === 1 ? [middle] : [];
        },
      },
    });
    assert.deepEqual(seen, [
      [low.id, high.id],
      [low.id, high.id, middle.id],
    ]);
    assert.deepEqual(ids(result), [low.id, middle.id, high.id], 'by number, not by letter');
    assert.deepEqual(
      planned.map(([, times]) => times),
      [2],
      'the first cases were planned before',
    );
    assert.deepEqual(messages, [
      'load: 2 cases × 2 rounds of 0.5 s, a minute left',
      'load: 1 cases × 2 rounds of 0.5 s, a minute left',
    ]);
  });
});

test('while a benchmark is measured, each round is shown with its number and its cases, and counted in the estimate', async () => {
  const { shown, ended } = await documentOf([CASES[2]], { rounds: 2 });
  assert.deepEqual(shown, [`round 1 of 2, ${DEEP}`, `round 2 of 2, ${DEEP}`]);
  assert.equal(ended.length, 2);
  assert.ok(
    ended.every((seconds) => seconds > 0.6 && seconds < 0.7),
    'round, warm-up and a little more',
  );
});

test('at the end settings are put back first, then the keys are removed, then the journal forgets them', async () => {
  const { calls, control } = await documentOf([CASES[2]]);
  const names = calls.map((call) => /** @type {unknown[]} */ (call)[0]);
  assert.deepEqual(calls[0], ['will write', KEYS.prefix]);
  assert.deepEqual(names.slice(-3), ['settings back', 'removes', 'removed']);
  assert.deepEqual(calls.at(-2), ['removes', control, KEYS]);
});

test('a round asks for a transaction, only for cases that are grouped so', async () => {
  for (const [params, expected] of /** @type {const} */ ([
    [{ grouping: 'multi' }, true],
    [{}, undefined],
  ])) {
    const { testbed, plans } = wholeTestbed({});
    await measureRounds(testbed, benchmarkOf(), [makeCase(params)], 'p:', { onRound() {} });
    assert.equal(plans[0].shape.transaction, expected);
  }
});

test('what an existing deployment has set itself is in every case that does not set it', async () => {
  const asked = makeCase({ mode: 'aof', settings: { appendonly: 'yes' } });
  const { testbed } = wholeTestbed({});
  Object.assign(testbed.stack, { about: { backend: 'external' }, can: new Set(['configure']) });
  Object.assign(testbed.stack.database, {
    configuration: async () => ({ appendonly: 'yes', port: '6379' }),
    settings: { ownOf: ({ appendonly = '' }) => ({ appendonly }) },
  });
  const { cases } = await measureBenchmark(testbed, benchmarkOf(), [CASES[0], asked], KEYS, {
    progress: /** @type {any} */ ({ tell() {}, now() {} }),
    estimate: /** @type {any} */ ({ left: () => '', ended() {} }),
    seed: 7,
  });
  assert.deepEqual(
    cases.map(({ params }) => params.ownSettings),
    [{ appendonly: 'yes' }, undefined],
  );
});

describe('a benchmark with a measurement of its own', () => {
  /** @param {Partial<CustomBenchmark>} more */
  const custom = (more) =>
    /** @type {CustomBenchmark} */ (/** @type {unknown} */ ({ ...benchmarkOf(), kind: 'custom', ...more }));

  test('gets its case, and a stack with the settings of the case', async () => {
    const sites = /** @type {any[]} */ ([]);
    const { testbed, calls, plans } = wholeTestbed({ more: { primary: PRIMARY, replicas: REPLICAS } });
    const measure = async (/** @type {unknown} */ site) => {
      sites.push(site);
      return /** @type {any} */ ({ throughput: 1 });
    };
    const shown = /** @type {string[]} */ ([]);
    for (const now of [undefined, (/** @type {string} */ text) => shown.push(text)])
      await measureRounds({ ...testbed, now }, custom({ measure }), [CASES[0]], 'p:', { onRound() {} });
    assert.deepEqual(calls[0], ['become', undefined, { primary: 'redis-1', replicas: ['redis-2', 'redis-3'] }]);
    assert.deepEqual([sites[0].theCase, sites[0].keyPrefix, sites[0].testbed.stack], [CASES[0], 'p:', testbed.stack]);
    for (const { now } of sites) now('half');
    assert.deepEqual(shown, ['half']);
    assert.deepEqual(plans, [], 'the load thread is not used');
  });

  test('cannot be measured on a stack whose roles are not fixed', async () => {
    const { testbed } = wholeTestbed({});
    const measure = async () => assert.fail('it is not measured');
    await assert.rejects(measureRounds(testbed, custom({ measure }), [CASES[0]], 'p:', { onRound() {} }), {
      message: 'load needs stacks without Sentinels',
    });
  });
});
