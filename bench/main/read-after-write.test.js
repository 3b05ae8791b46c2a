import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, resultOf, roundOf } from '../../src/report/fixture.js';
import { staleReadsChart, staleTimesChart } from './read-after-write.js';

const [sample] = resultOf().benchmarks;
/** @param {number} late of 1,000 reads, each for about a millisecond */
const round = (late) =>
  roundOf({
    writes: late,
    medianNs: 1e6,
    consistency: { reads: 1000, immediate: 1000 - late, afterWait: late, stale: 0 },
  });
const benchmark = {
  ...sample,
  cases: [caseOf('none', {}, [round(100), round(300)]), caseOf('wait2', { wait: 2 }, [round(0), round(0)])],
};

test('with no stale read among N the upper bound is 3/N; otherwise the line spans the rounds', () => {
  const chart = staleReadsChart(benchmark);
  const [none, wait] = chart?.rows ?? [];
  assert.deepEqual(
    none.map((cell) => (typeof cell === 'number' ? Number(cell.toFixed(9)) : cell)),
    ['no WAIT, alone: 400 of 2,000', ...[0.2, 0.1, 0.3], ...[null, null, null]],
  );
  assert.deepEqual(wait, ['WAIT 2, alone: 0 of 2,000', null, null, null, 0, 0, 3 / 2000]);
});

test('the curve ends with the longest stale read; without stale reads there is no curve', () => {
  const chart = staleTimesChart(benchmark);
  assert.deepEqual(chart?.columns.map(({ name }) => name).slice(1), ['no WAIT, alone']);
  const shares = chart?.rows.map(([, share]) => Number(share)) ?? [];
  assert.equal(shares[0], 200_000);
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => b - a),
  );
  const { max } = benchmark.cases[0].summary.latencyNs;
  assert.equal(Number(chart?.rows.at(-1)?.[0]) < max, true);
  assert.equal(staleTimesChart({ ...benchmark, cases: [benchmark.cases[1]] }), null);
});
