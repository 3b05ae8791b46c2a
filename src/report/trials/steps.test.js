import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trialOf } from './fixture.js';
import { duringFault, electedNobody, faultOf, firstStep, sawFailover } from './steps.js';

/** @import { TrialResult } from '../../result/failure-schema.js' */

const none = [0, 0, 0, 0, 0];

/** @param {Partial<TrialResult['writers'][number]>} writer */
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

test('a fault lasts from the first to the last one’s undoing; without an undoing to no end', () => {
  const [begun, undone] = trial({}).marks;
  const second = { ...begun, afterMs: 200, detail: 'redis-3: pause' };
  const later = { ...undone, afterMs: 450 };
  assert.deepEqual(faultOf({ marks: [begun, second, undone, later] }), {
    from: 150,
    to: 450,
    detail: 'redis-2: pause',
  });
  assert.equal(faultOf({ marks: [begun] })?.to, Number.POSITIVE_INFINITY);
  assert.equal(faultOf({ marks: [] }), null);
});

test('nobody was elected: Sentinels tried in vain, and none promoted a replica later', () => {
  const told = (/** @type {string[]} */ ...events) => ({
    marks: events.map((what, i) => ({ afterMs: i, who: 'sentinel-1', what, detail: '' })),
  });
  assert.equal(electedNobody(told('+odown', '-failover-abort-not-elected')), true);
  assert.equal(electedNobody(told('-failover-abort-not-elected', '+switch-master')), false);
  assert.equal(electedNobody(told('+odown')), false, 'they did not try');
  assert.deepEqual([told('+switch-master'), told('+try-failover')].map(sawFailover), [true, false]);
});
