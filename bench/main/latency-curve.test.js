import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderSvg } from '../../src/report/document.js';
import { caseOf, resultOf, roundOf } from '../../src/report/fixture.js';
import { responseTimeByRate } from './latency-curve.js';

const [sample] = resultOf().benchmarks;

/**
 * @param {number} wait
 * @param {number} rate
 * @param {boolean} sustained
 */
function caseAt(wait, rate, sustained) {
  const round = roundOf({ writes: 2000, medianNs: sustained ? 1e5 : 1e8 });
  const openLoop = {
    ...{
      askedRate: rate,
      achievedRate: rate,
      arrivals: /** @type {const} */ ('poisson'),
      due: 2000,
      unsent: 0,
      sustained,
    },
    ...{ serviceNs: round.latencyNs, serviceHistogram: round.histogram },
    ...{ latenessNs: round.latencyNs, latenessHistogram: round.histogram },
  };
  return caseOf(`wait${wait}-${rate}`, { wait, rate }, [{ ...round, openLoop }]);
}

const cases = [caseAt(0, 1000, true), caseAt(0, 2000, true), caseAt(0, 4000, false), caseAt(1, 1000, false)];

test('rates that were not sustained are apart from the curves, and the highest sustained rate is marked', () => {
  const chart = responseTimeByRate({ ...sample, cases });
  const names = chart?.columns.map(({ name }) => name) ?? [];
  const column = (/** @type {string} */ name) => chart?.rows.map((row) => row[names.indexOf(name)] !== null);
  assert.deepEqual(column('async, p99'), [true, true, false]);
  assert.deepEqual(column('async, p99, not sustained'), [false, false, true]);
  assert.deepEqual(column('WAIT 1, p99'), [false, false, false]);
  assert.deepEqual(column('WAIT 1, p99, not sustained'), [true, false, false]);
  const marks = chart?.option.series.flatMap((/** @type {any} */ { markPoint }) => markPoint?.data ?? []);
  assert.deepEqual(marks, [{ coord: [2000, cases[1].summary.latencyNs.p99] }]);
  assert.match(chart?.alt ?? '', /^async: 2\.00 k\/s was sustained, .* WAIT 1: no tried rate was sustained\.$/);
  assert.doesNotThrow(() => chart && renderSvg(chart, 'light'));
});

test('one rate gives no curve', () => {
  assert.equal(responseTimeByRate({ ...sample, cases: [cases[0]] }), null);
});
