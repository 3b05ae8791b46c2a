import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latencyOf, mergeHistograms } from '../../stats/histogram.js';
import { renderSvg } from '../document.js';
import { caseOf, roundOf } from '../fixture.js';
import { MOST_CURVES, percentileCurves } from './percentiles.js';
import { styleAt } from './styles.js';

/** @import { CaseResult } from '../../result/schema.js' */

/** @param {CaseResult} result */
const curve = (result) => ({ name: result.id, result, style: styleAt(0) });
const benchmark = { name: 'sample' };

test('curves show the percentiles of all rounds together', () => {
  const one = caseOf('a', {}, [roundOf({ writes: 4000, seed: 1 }), roundOf({ writes: 6000, medianNs: 9e5, seed: 2 })]);
  const chart = percentileCurves(benchmark, { what: 'of each case', curves: [curve(one)] });
  const merged = latencyOf(mergeHistograms(one.rounds.map(({ histogram }) => histogram)));
  const at = (/** @type {number} */ x) => chart?.rows.find(([point]) => point === x)?.[1];
  assert.deepEqual(
    [at(1), at(2), at(10), at(100), at(1000)],
    [merged.min, merged.p50, merged.p90, merged.p99, merged.p999],
  );
  assert.match(chart ? renderSvg(chart, 'light') : '', />99\.9%</);
});

test('a curve ends where fewer than 10 independent values lie beyond it', () => {
  const rounds = [roundOf({ writes: 10_000 })];
  const single = curve(caseOf('single', {}, rounds));
  const batches = curve(caseOf('batches', { pipeline: 100 }, rounds));
  const chart = percentileCurves(benchmark, { what: 'of each case', curves: [single, batches] });
  const last = (/** @type {number} */ column) => chart?.rows.findLast((row) => row[column] !== null)?.[0];
  assert.equal(last(1), 1000, 'of 10,000 values 10 lie beyond 99.9%');
  assert.equal(last(2), 10, 'of 100 batches 10 lie beyond 90%');
  const few = curve(caseOf('few', {}, [roundOf({ writes: 11 })]));
  assert.equal(percentileCurves(benchmark, { what: 'of each case', curves: [few] }), null);
});

test('too many curves give no chart, without decoding them', () => {
  const broken = caseOf('broken', {}, [roundOf()]);
  broken.rounds[0].histogram = 'no histogram';
  const curves = Array.from({ length: MOST_CURVES + 1 }, () => curve(broken));
  assert.equal(percentileCurves(benchmark, { what: 'of each case', curves }), null);
});
