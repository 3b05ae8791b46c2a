import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultNamed } from '../experiments/decision-faults.js';
import { blindFaults } from './losses.js';

/**
 * @import { DecisionRow } from './decision.js'
 * @import { FaultId } from '../experiments/decision-faults.js'
 */

/**
 * @param {Partial<Record<FaultId, number>>} lost writes, by fault
 * @returns {DecisionRow}
 */
function rowOf(lost) {
  const trials = Object.entries(lost).map(([id, most]) => ({
    fault: faultNamed(/** @type {FaultId} */ (id)),
    loss: { most },
  }));
  return /** @type {DecisionRow} */ (/** @type {unknown} */ ({ trials }));
}

test('a fault says nothing where no mode lost a write in it, and only some faults can be so', () => {
  const blind = (/** @type {DecisionRow[]} */ ...rows) => blindFaults(rows).map(({ id }) => id);
  assert.deepEqual(blind(rowOf({ kill: 0, partition: 0 }), rowOf({})), ['kill']);
  assert.deepEqual(blind(rowOf({ kill: 0, stop: 0 }), rowOf({ kill: 1 })), ['stop']);
  assert.deepEqual(blind(rowOf({})), []);
});
