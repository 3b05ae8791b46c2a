import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, roundOf } from '../fixture.js';
import { percentileCurves } from './percentiles.js';
import { styleAt } from './styles.js';

/** @import { CaseResult } from '../../result/schema.js' */

/** @param {CaseResult} result */
const curve = (result) => ({ name: result.id, result, style: styleAt(0) });
const benchmark = { name: 'sample' };

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
