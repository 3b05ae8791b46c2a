import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trialOf } from './failure-fixture.js';
import { duringFault, firstStep } from './failure-steps.js';

const none = [0, 0, 0, 0, 0];

/** @param {Partial<import('./failure-schema.js').TrialResult['writers'][number]>} writer */
function trial(writer) {
  return trialOf('min1', {
    stepMs: 100,
    marks: [
      { afterMs: 150, who: 'harness', what: 'fault begun', detail: 'redis-2: pause' },
      { afterMs: 400, who: 'harness', what: 'fault undone', detail: 'redis-2: pause' },
    ],
    writers: [
      {
        writer: 'stays',
        acked: none,
        underAcked: none,
        rejected: none,
        unknown: none,
        unsent: none,
        p99Ms: [null, null, null, null, null],
        ...writer,
      },
    ],
  });
}

test('the first step with such a write, from the beginning of the fault on', () => {
  assert.equal(
    firstStep(trial({ rejected: [9, 0, 0, 4, 1] }), 'rejected'),
    150,
    'what came before the fault is not its doing',
  );
  assert.equal(firstStep(trial({ rejected: [0, 2, 0, 0, 0] }), 'rejected'), 0, 'the step in which it begins');
  assert.equal(firstStep(trial({}), 'rejected'), null);
  assert.equal(firstStep({ ...trial({ rejected: [1, 1, 1, 1, 1] }), marks: [] }, 'rejected'), null, 'no fault');
});

test('only whole steps before and during the fault', () => {
  assert.deepEqual(duringFault([trial({ p99Ms: [1, 500, 20, 22, 1] })]), { before: 1, during: 21 });
  assert.deepEqual(duringFault([trial({})]), { before: null, during: null });
});
