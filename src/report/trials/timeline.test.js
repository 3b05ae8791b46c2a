import assert from 'node:assert/strict';
import { test } from 'node:test';
import { electedNobody, faultOf, firstStep, sawFailover } from '../../audit/judgement.js';
import { auditOf, failureBenchmarkOf, trialOf } from './fixture.js';
import { chartOf, failoversOf, timelineOf, turnsOf, worstTrial, worstTrials } from './timeline.js';

/**
 * @import { EventKind } from '../../result/events.js'
 * @import { AuditResult, TrialResult } from '../../result/failure-schema.js'
 */

test('marks in the same step are all shown', () => {
  /** @type {TrialResult['events']} */
  const events = [
    { at: 1010, by: 'harness', kind: 'fault-begun', node: 'redis-1', fault: 'pause' },
    { at: 1090, by: 'harness', kind: 'fault-begun', node: 'redis-2', fault: 'pause' },
  ];
  assert.match(chartOf(trialOf('async', { events })), /\n {25}A\n {25}B\n/, 'neither hides the other');
});

test('the first message of Sentinels is a turn; marks after the load are left out', () => {
  /** @type {TrialResult['events']} */
  const events = [
    { at: 1000, by: 'harness', kind: 'fault-begun' },
    { at: 1500, by: 'sentinel-1', kind: 'down', node: 'redis-1' },
    { at: 1505, by: 'sentinel-2', kind: 'down', node: 'redis-1' },
    { at: 2500, by: 'sentinel-2', kind: 'suspected', node: 'redis-2' },
    { at: 5001, by: 'harness', kind: 'fault-undone' },
  ];
  const turns = turnsOf(trialOf('async', { events }));
  assert.deepEqual(
    turns.map(({ letter, event: { kind, by } }) => `${letter} ${kind} ${by}`),
    ['A fault-begun harness', 'B down sentinel-1'],
  );
});

test('without a fault, times count from the writers’ start; without steps there is no chart', () => {
  /** @type {TrialResult['events']} */
  const events = [{ at: 1500, by: 'sentinel-1', kind: 'tilt' }];
  const { marks, ...others } = timelineOf(trialOf('async', { writers: [], events }));
  assert.deepEqual(others, { chart: null, hasFault: false });
  assert.deepEqual([marks.length, marks[0].what, marks[0].times], [1, '+tilt', ['sentinel-1 1.500 s']]);
  assert.deepEqual(timelineOf(trialOf('async', { events })).marks, marks);
});

test('the worst round has most lost, then was longest unavailable', () => {
  const trials = [1, 2, 3].map((round) => trialOf('async', { round }));
  /** @param {Partial<AuditResult>[]} rounds */
  const worst = (...rounds) => {
    const audits = rounds.map((some, i) => auditOf('async', { round: i + 1, ...some }));
    const benchmark = failureBenchmarkOf('x', [{ mode: 'async', audits, trials }]);
    return worstTrial(benchmark, benchmark.cases[0])?.trial.round;
  };
  assert.equal(worst({ unavailableMs: 9000 }, { ackedLost: 5 }, { ackedLost: 4 }), 2);
  assert.equal(worst({ unavailableMs: 1000 }, { unavailableMs: 1001 }, {}), 3);
  assert.equal(worst({ unavailableMs: 9000 }, { unavailableMs: null }, { unavailableMs: 9001 }), 2);
  assert.equal(worst({}, {}, {}), 1);
  const none = failureBenchmarkOf('x', [{ mode: 'async', audits: [] }]);
  assert.equal(worstTrial(none, none.cases[0]), null);
});

test('of the lengths of a fault the worst, in the order of the cases', () => {
  const parts = [
    { mode: 'async', length: 'short', lost: 3 },
    { mode: 'wait1', length: 'short', lost: 1 },
    { mode: 'async', length: 'long', lost: 9 },
    { mode: 'wait1', length: 'long', lost: 1 },
  ];
  const benchmark = failureBenchmarkOf(
    'x',
    parts.map(({ mode, length, lost }) => {
      const id = `${mode}-${length}`;
      return { id, mode, variation: { length }, audits: [auditOf(id, { ackedLost: lost })], trials: [trialOf(id)] };
    }),
  );
  assert.equal(worstTrials(benchmark).length, 4);
  const worst = worstTrials(benchmark, ({ mode }) => String(mode));
  assert.deepEqual(
    worst.map(({ one }) => one.id),
    ['wait1-short', 'async-long'],
  );
});

const none = [0, 0, 0, 0, 0];

/** @param {Partial<TrialResult['writers'][number]>} writer */
function trial(writer) {
  return trialOf('min1', {
    stepMs: 100,
    events: [
      { at: 150, by: 'harness', kind: 'fault-begun', node: 'redis-2', fault: 'pause' },
      { at: 400, by: 'harness', kind: 'fault-undone', node: 'redis-2', fault: 'pause' },
    ],
    writers: [
      {
        writer: 'sticky',
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

test('the first step with such a write after the fault began', () => {
  assert.equal(
    firstStep(trial({ rejected: [9, 0, 0, 4, 1] }), 'rejected'),
    150,
    'what came before the fault is not its doing',
  );
  assert.equal(firstStep(trial({ rejected: [0, 2, 0, 0, 0] }), 'rejected'), 0, 'the step in which it begins');
  assert.equal(firstStep(trial({}), 'rejected'), null);
  assert.equal(firstStep({ ...trial({ rejected: [1, 1, 1, 1, 1] }), events: [] }, 'rejected'), null, 'no fault');
});

test('a fault lasts until its last undoing; without an undoing it has no end', () => {
  const [begun, undone] = trial({}).events;
  const second = { ...begun, at: 200, node: 'redis-3', planned: /** @type {const} */ (true) };
  const later = { ...undone, at: 450 };
  assert.deepEqual(faultOf({ events: [begun, second, undone, later] }), {
    from: 150,
    to: 450,
    planned: false,
  });
  assert.equal(faultOf({ events: [begun] })?.to, Number.POSITIVE_INFINITY);
  assert.equal(faultOf({ events: [] }), null);
});

test('no election: Sentinels tried, and none promoted a replica', () => {
  const trialWith = (/** @type {EventKind[]} */ ...kinds) => ({
    events: kinds.map((kind, i) => ({ at: i, by: 'sentinel-1', kind })),
  });
  assert.equal(electedNobody(trialWith('down', 'nobody-elected')), true);
  assert.equal(electedNobody(trialWith('nobody-elected', 'promoted')), false);
  assert.equal(electedNobody(trialWith('down')), false, 'they did not try');
  assert.deepEqual([trialWith('promoted'), trialWith('failover-tried')].map(sawFailover), [true, false]);
});

test('failovers: a trial without a promotion is left out, unless none was due', () => {
  const rounds = /** @type {const} */ (['promoted', 'down', 'no-promotion-due']).map((kind, i) =>
    trialOf('wait1', { round: i + 1, events: [{ at: 1, by: 'harness', kind }] }),
  );
  const audits = rounds.map(({ round }) => auditOf('wait1', { round }));
  const kept = failoversOf(failureBenchmarkOf('x', [{ mode: 'wait1', audits, trials: rounds }]));
  for (const each of [kept.timeline, kept.audit])
    assert.deepEqual(
      each?.map(({ round }) => round),
      [1, 3],
    );
});
