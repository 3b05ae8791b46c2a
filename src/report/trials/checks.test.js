import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  everyNodeAgrees,
  failoverHappened,
  failoverWhereDue,
  nothingAckedLost,
  nothingIsPresent,
  noWrongValues,
} from './checks.js';
import { auditOf, failureBenchmarkOf, trialOf } from './fixture.js';

/** @import { AuditResult, TrialResult } from '../../result/failure-schema.js' */

/** @param {Partial<AuditResult>[]} audits of the two writers of the one case */
function benchmarkOf(...audits) {
  const writers = /** @type {const} */ (['sticky', 'failover-aware']);
  return failureBenchmarkOf('primary-killed', [
    { mode: 'wait1', audits: audits.map((some, i) => auditOf('wait1', { writer: writers[i], ...some })) },
  ]);
}

const NOTHING = failureBenchmarkOf('primary-killed', []);

test('nothing rejected is present', () => {
  assert.deepEqual(nothingIsPresent('rejected', benchmarkOf({ rejected: 1200 }, { rejected: 34 })), {
    name: 'nothing rejected is present',
    ok: true,
    detail: '0 of 1,234 rejected writes are present',
  });
  const broken = nothingIsPresent('rejected', benchmarkOf({ rejected: 12 }, { rejected: 34, rejectedPresent: 1 }));
  assert.equal(broken.ok, false);
  assert.equal(broken.detail, 'wait1, failover-aware: 1 of 34 rejected writes are present');
  assert.equal(nothingIsPresent('unsent', benchmarkOf({ unsent: 5 })).detail, '0 of 5 unsent writes are present');
  assert.equal(nothingIsPresent('unsent', benchmarkOf({ unsent: 5, unsentPresent: 1 })).ok, false);
});

test('without a rejection it says so, and fails where there have to be some', () => {
  const none = nothingIsPresent('rejected', benchmarkOf({}));
  assert.deepEqual([none.ok, none.detail], [true, 'no write was rejected, so this tested nothing']);
  assert.equal(nothingIsPresent('rejected', benchmarkOf({}), { expectSome: true }).ok, false);
});

test('a wrong value or a surplus key on any node', () => {
  assert.deepEqual(
    noWrongValues(benchmarkOf({ acked: 100 }, { acked: 50 })).detail,
    '450 values were read, all nodes together',
  );
  assert.equal(noWrongValues(benchmarkOf({ acked: 100 })).ok, true);
  for (const field of /** @type {const} */ (['wrongValue', 'surplus'])) {
    const { ok, detail } = noWrongValues(benchmarkOf({ [field]: 1 }));
    assert.equal(ok, false);
    assert.match(detail, /^wait1, sticky: [01] wrong values, [01] surplus keys$/);
  }
});

test('nodes that hold different numbers of values', () => {
  const agreed = everyNodeAgrees(benchmarkOf({ acked: 100 }, { acked: 50 }));
  assert.deepEqual([agreed.ok, agreed.detail], [true, '150 values on each, compared in 2 audits']);
  const { ok, detail } = everyNodeAgrees(benchmarkOf({}, { round: 2, present: { 'redis-1': 1000, 'redis-2': 999 } }));
  assert.equal(ok, false);
  assert.equal(detail, 'wait1, failover-aware, round 2: redis-1 1,000, redis-2 999');
  assert.equal(
    everyNodeAgrees(benchmarkOf({ present: { 'redis-1': 1000 } })).ok,
    false,
    'one node alone is no agreement',
  );
});

test('nothing acknowledged is lost', () => {
  const kept = nothingAckedLost(benchmarkOf({ acked: 38_000 }, { acked: 37_900 }), { modes: ['wait1', 'waitaof'] });
  assert.equal(kept.ok, true);
  assert.equal(kept.detail, 'wait1, sticky: 0 of 38,000; wait1, failover-aware: 0 of 37,900');
  const lost = nothingAckedLost(benchmarkOf({ acked: 38_000 }, { ackedLost: 1 }), { name: 'WAIT 1 is safe' });
  assert.deepEqual(lost, { name: 'WAIT 1 is safe', ok: false, detail: 'wait1, failover-aware: 1 of 10,000 (0.010%)' });
  const some = nothingAckedLost(benchmarkOf({ ackedLost: 1 }, {}), { writers: ['failover-aware'] });
  assert.equal(some.ok, true, 'the other writer is not part of the claim');
});

test('where nothing was acknowledged, or nothing measured, no check passes', () => {
  const quiet = { acked: 0, present: { 'redis-1': 0, 'redis-2': 0 } };
  assert.equal(nothingAckedLost(benchmarkOf({}, quiet), {}).ok, false);
  assert.deepEqual(nothingAckedLost(benchmarkOf({}), { name: 'kept', modes: ['wait2'] }), {
    name: 'kept',
    ok: true,
    skipped: true,
    detail: 'this run did not measure wait2',
  });
  const [rejected, unsent] = /** @type {const} */ (['rejected', 'unsent']).map((what) =>
    nothingIsPresent.bind(null, what),
  );
  for (const check of [rejected, unsent, noWrongValues, everyNodeAgrees]) {
    assert.equal(check(NOTHING).ok, false, check.name);
    assert.equal(check(benchmarkOf(quiet)).ok, false, check.name);
  }
});

test('a trial with a failover, and one without', () => {
  const trials = [trialOf('wait1'), trialOf('wait1', { round: 2, events: [] })];
  const result = failureBenchmarkOf('primary-killed', [{ mode: 'wait1', audits: [auditOf('wait1')], trials }]);
  assert.deepEqual(failoverHappened(result), {
    name: 'every trial saw a failover',
    ok: false,
    detail: 'wait1, round 2: none',
  });
  assert.equal(failoverHappened(result, { expected: false }).detail, 'wait1, round 1: one');
  assert.equal(failoverHappened({ ...result, timeline: [trials[0]] }).ok, true);
  assert.equal(failoverHappened({ ...result, timeline: [] }).ok, false);
  assert.equal(failoverHappened({ ...result, timeline: [] }, { expected: false }).ok, false);
});

test('a trial in which no promotion is due needs no failover; every other one does', () => {
  const events = [{ at: 1, by: 'harness', kind: /** @type {const} */ ('no-promotion-due') }];
  const [due, none, other] = [
    trialOf('wait1'),
    trialOf('wait1', { round: 2, events }),
    trialOf('wait1', { events: [] }),
  ];
  const result = failureBenchmarkOf('partition', [{ mode: 'wait1', audits: [auditOf('wait1')] }]);
  const checksOf = (/** @type {TrialResult[]} */ ...timeline) => failoverWhereDue({ ...result, timeline });
  assert.deepEqual(
    checksOf(due, none).map(({ ok, detail }) => [ok, detail]),
    [[true, '1 trials']],
  );
  assert.deepEqual(checksOf(none), [], 'nothing is claimed');
  assert.equal(checksOf(none, other)[0].ok, false);
  assert.equal(checksOf()[0].ok, false, 'nothing was measured');
});

test('cases and writers have the names that the suite gives them', () => {
  const titles = { case: () => 'semi-sync', writer: () => 'pool' };
  const { detail } = nothingAckedLost(benchmarkOf({ ackedLost: 1 }), { titles });
  assert.equal(detail, 'semi-sync, pool: 1 of 10,000 (0.010%)');
  const result = failureBenchmarkOf('x', [
    { mode: 'async', audits: [auditOf('async')], trials: [trialOf('async', { events: [] })] },
  ]);
  assert.equal(failoverHappened(result, { titles }).detail, 'semi-sync, round 1: none');
});
