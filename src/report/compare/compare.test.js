import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, resultOf, roundOf } from '../fixture.js';
import { compareCases, compareResults, isJudged, isWorse, METRICS } from './compare.js';
import { renderComparison } from './comparison-report.js';

/** @import { Result } from '../../result/schema.js' */

const FIVE = [1, 0.97, 1.02, 0.99, 1.01];
const THROUGHPUT = { metric: 'throughput', threshold: 0.05 };

/**
 * @param {number} writes of the median round
 * @param {{count?: number, medianNs?: number, pipeline?: number}} [more]
 */
function sideOf(writes, { count = 5, medianNs = 45_000, pipeline = 1 } = {}) {
  const rounds = FIVE.slice(0, count).map((factor, i) =>
    roundOf({ writes: Math.round(writes * factor), medianNs: medianNs * factor, seed: i + 1 }),
  );
  return caseOf('one', { pipeline }, rounds);
}

/** @param {number} length @param {number[]} [writes] of the first rounds; those after them have 2,000 */
function roundsOf(length, writes = []) {
  return caseOf(
    'one',
    {},
    Array.from({ length }, (_, i) => roundOf({ writes: writes[i] ?? 2000 })),
  );
}

/** @param {(result: Result) => void} change */
function changed(change) {
  const result = resultOf();
  change(result);
  return result;
}

test('a run compared with itself shows no difference', () => {
  const { cases, differences, onlyInA, onlyInB } = compareResults(resultOf(), resultOf(), THROUGHPUT);
  assert.deepEqual(
    cases.map(({ benchmark, id, verdict, ratio }) => [benchmark, id, verdict, ratio?.median]),
    [
      ['async-vs-wait', 'none', 'no difference', 1],
      ['async-vs-wait', 'wait1', 'no difference', 1],
    ],
  );
  assert.deepEqual([differences, onlyInA, onlyInB], [[], [], []]);
});

test('20% less throughput is worse, 20% more is better, 2% is neither', () => {
  const base = sideOf(2000);
  const verdicts = [1600, 2400, 1960].map((writes) => compareCases(base, sideOf(writes), THROUGHPUT).verdict);
  assert.deepEqual(verdicts, ['worse', 'better', 'no difference']);
  const wide = { metric: 'throughput', threshold: 0.3 };
  assert.equal(compareCases(base, sideOf(1600), wide).verdict, 'no difference', 'the user sets the threshold');
  const { a, b, ratio, rounds } = compareCases(base, sideOf(1600), THROUGHPUT);
  assert.deepEqual([a, b, rounds], [2000, 1600, { a: 5, b: 5 }]);
  assert.ok(ratio && Math.abs(ratio.median - 0.8) < 0.005 && ratio.low < 0.8 && ratio.high > 0.8);
});

test('more latency is worse, less is better', () => {
  const base = sideOf(2000);
  const metric = { metric: 'p50', threshold: 0.05 };
  assert.equal(compareCases(base, sideOf(2000, { medianNs: 60_000 }), metric).verdict, 'worse');
  assert.equal(compareCases(base, sideOf(2000, { medianNs: 30_000 }), metric).verdict, 'better');
});

test('a case that cannot be compared has a reason', () => {
  const base = sideOf(2000);
  const nothing = caseOf(
    'one',
    {},
    FIVE.map(() => roundOf({ writes: 0 })),
  );
  const reason = (/** @type {any} */ a, /** @type {any} */ b, metric = 'throughput') => {
    const { verdict, ratio, reason: why } = compareCases(a, b, { metric, threshold: 0.05 });
    assert.deepEqual([verdict, ratio], ['unknown', null]);
    return why;
  };
  assert.match(`${reason(base, sideOf(2000, { count: 2 }))}`, /too few rounds/);
  assert.match(`${reason(nothing, base)}`, /^A acknowledged nothing/);
  assert.match(`${reason(base, { params: base.params, rounds: [] })}`, /^B has no round/);
  assert.match(`${reason(base, nothing, 'p50')}`, /^B has no latency/);
  assert.match(`${reason(base, sideOf(2000, { pipeline: 100 }), 'p99')}`, /^B has too few values/);
  assert.match(`${reason(base, base, 'p999')}`, /^A has too few values/);
  const [whole, partly] = [roundsOf(5), roundsOf(5, [0])];
  assert.equal(reason(partly, whole), 'A acknowledged nothing in a round');
  assert.equal(reason(whole, partly, 'p50'), 'B has no latency in a round');
  assert.equal(compareCases(whole, partly, THROUGHPUT).reason, undefined, 'B is judged');
  assert.equal(compareCases(base, nothing, THROUGHPUT).verdict, 'worse');
});

test('ten values beyond a percentile are enough, nine are not', () => {
  const [base, enough, few] = [1000, 200, 199].map((writes) => roundsOf(5, [200, 200, 200, 200, writes]));
  const p99 = { metric: 'p99', threshold: 0.05 };
  assert.notEqual(compareCases(base, enough, p99).verdict, 'unknown');
  assert.deepEqual(compareCases(base, few, p99).reason, 'B has too few values beyond that percentile');
});

/** @param {Result} a @param {Result} b @param {ReturnType<typeof compareResults>} comparison */
const textOf = (a, b, comparison) => renderComparison({ name: 'a', result: a }, { name: 'b', result: b }, comparison);

test('a metric of latency compares only that percentile, and the verdict says so', () => {
  for (const metric of Object.keys(METRICS).filter((each) => each !== 'throughput')) {
    const b = changed(({ benchmarks }) => {
      for (const { latencyNs } of benchmarks[0].cases[0].rounds) Object.assign(latencyNs, { [metric]: 7e9 });
    });
    for (const other of Object.keys(METRICS)) {
      const comparison = compareResults(resultOf(), b, { metric: other, threshold: 0.05 });
      assert.equal(isWorse(comparison), other === metric, other);
      if (metric === 'p999' && other === metric)
        assert.match(
          textOf(resultOf(), b, comparison),
          /^2 cases compared by p99\.9 latency, .*: 1 worse, 0 better, /m,
        );
    }
  }
});

test('cases that only one of the two has are listed', () => {
  const a = resultOf();
  const b = changed(({ benchmarks }) => {
    benchmarks[0].cases[1].id = 'wait2';
  });
  const { cases, onlyInA, onlyInB } = compareResults(a, b, THROUGHPUT);
  assert.deepEqual(
    cases.map(({ id }) => id),
    ['none'],
  );
  assert.deepEqual(onlyInA, [{ benchmark: 'async-vs-wait', id: 'wait1' }]);
  assert.deepEqual(onlyInB, [{ benchmark: 'async-vs-wait', id: 'wait2' }]);
});

test('one case with a verdict is enough to judge a comparison', () => {
  const short = (/** @type {number[]} */ ...cases) =>
    changed(({ benchmarks }) => {
      for (const i of cases) benchmarks[0].cases[i].rounds.length = 1;
    });
  const judged = (/** @type {Result} */ b) => isJudged(compareResults(resultOf(), b, THROUGHPUT));
  assert.deepEqual([short(), short(0), short(1), short(0, 1)].map(judged), [true, true, true, false]);
});

test('a benchmark that failed only in B makes B worse, in every output', () => {
  const failed = changed((result) => {
    result.benchmarks.push({
      ...result.benchmarks[0],
      name: 'payload',
      status: 'failed',
      reason: 'redis-2 went away.',
      cases: [],
    });
  });
  const whole = changed((result) => {
    result.benchmarks.push({ ...result.benchmarks[0], name: 'payload' });
  });
  const comparison = compareResults(whole, failed, THROUGHPUT);
  assert.deepEqual(comparison.failedInB, [{ benchmark: 'payload', reason: 'redis-2 went away.' }]);
  assert.equal(isWorse(comparison), true);
  assert.match(textOf(whole, failed, comparison), /payload failed in B: redis-2 went away\./);
  assert.equal(isWorse(compareResults(failed, failed, THROUGHPUT)), false, 'it is no news');
  assert.equal(isWorse(compareResults(failed, whole, THROUGHPUT)), false, 'it is better');
});
