import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as columns from './columns.js';
import { caseOf, roundOf } from './fixture.js';

/** @import { RoundResult } from '../result/schema.js' */

/** @type {RoundResult['outcomes']} */
const MIXED = { acked: 970, underAcked: 10, rejected: 15, unknown: 5 };

test('cost is the lost share of the baseline; a gain is negative', () => {
  const baseline = caseOf(
    'none',
    {},
    [1000, 1000, 1000].map((writes) => roundOf({ writes })),
  );
  const costing = (/** @type {number[]} */ ...writes) =>
    columns.cost.cell(
      caseOf(
        'a',
        {},
        writes.map((writes) => roundOf({ writes })),
        baseline,
      ),
    );
  assert.equal(costing(540, 510, 580), '46% (42–49)');
  assert.equal(costing(1100, 1200, 1300), '−20% (−30 to −10)');
  assert.equal(columns.cost.cell(baseline), '');
});

test('a percentile is shown from ten values beyond it', () => {
  const shown = (/** @type {number} */ writes, pipeline = 1) => {
    const result = caseOf('a', { pipeline }, [roundOf({ writes })]);
    return [columns.p50, columns.p99, columns.p999].map((column) => column.cell(result) !== columns.TOO_FEW);
  };
  assert.deepEqual(shown(19), [false, false, false]);
  assert.deepEqual(shown(20), [true, false, false]);
  assert.deepEqual(shown(999), [true, false, false]);
  assert.deepEqual(shown(1000), [true, true, false]);
  assert.deepEqual(shown(9999), [true, true, false]);
  assert.deepEqual(shown(10_000), [true, true, true]);
  assert.deepEqual(
    shown(10_000, 100),
    [true, false, false],
    'at pipeline depth 100, 100 writes are one independent value',
  );
});

test('outcomes of all rounds count', () => {
  const result = caseOf('a', {}, [roundOf({ writes: 1000 }), roundOf({ writes: 970, outcomes: MIXED })]);
  assert.deepEqual(columns.outcomesOf(result), { acked: 1970, underAcked: 10, rejected: 15, unknown: 5 });
  assert.equal(columns.notAcked.cell(result), '1.5%');
  assert.equal(columns.notAcked.cell(caseOf('b', {}, [roundOf({ writes: 0 })])), '0');
});
