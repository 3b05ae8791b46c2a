import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerOf } from '../audit/fixture.js';
import { fellBehind } from '../audit/judgement.js';
import { auditOf, trialOf } from '../report/trials/fixture.js';
import { factsOf, keptTimelines, paceOf } from './trial-document.js';

/**
 * @import { LedgerEntry } from '../audit/fixture.js'
 * @import { TrialOutcome } from './trial-document.js'
 */

/** A write every 10 ms. */
const RATE = 100;
const FAULT_MS = 1000;

/**
 * @param {(number: number) => LedgerEntry} entry of a write that was due after 10 ms × number
 * @param {number} [lateMs]
 */
function paceWith(entry, lateMs = 2) {
  const ledger = ledgerOf(Array.from({ length: 200 }, (_, number) => entry(number)));
  const trial = { plan: { writers: [{ rate: RATE }] }, sample: { lateMs, writers: [{ writes: 200 }] } };
  return paceOf(trial, [ledger], FAULT_MS);
}

/** @param {number} number @returns {LedgerEntry} */
const inTime = (number) => ({ is: 'acked', at: number * 10 + 1 });

test('a move to a node that is not known is left out', () => {
  const moves = [
    { afterMs: 0, node: 2 },
    { afterMs: 5, node: 0 },
  ];
  const writer = { name: 'redis', writes: 1, errors: {}, firstError: null, moves };
  const [facts] = factsOf(
    /** @type {any} */ ({
      theCase: { id: 'async', params: { wait: 0 } },
      round: 1,
      plan: { nodes: [{ id: 'redis-1' }, { id: 'redis-2' }], writers: [{ rate: RATE }] },
      sample: { writers: [writer] },
      events: [],
    }),
  );
  assert.deepEqual(facts.moves, [{ afterMs: 0, node: 'redis-2' }]);
});

test('the pace before the fault: what comes after it does not count', () => {
  // The writes of the last 50 ms were still waiting when the fault began.
  const pace = paceWith((number) => (number < 95 ? inTime(number) : { is: 'unsent' }));
  assert.deepEqual([pace.unsent, pace.lateMs], [0, 2]);
  assert.ok(pace.stallMs >= 50 && pace.stallMs <= 60, `${pace.stallMs} ms`);
  assert.equal(fellBehind({ pace }), false);
});

test('unsent writes, a stall of the answers, or a late thread: the machine fell behind', () => {
  const unsent = paceWith((number) => (number === 50 ? { is: 'unsent' } : inTime(number)));
  const stalled = paceWith((number) => (number >= 20 && number < 60 ? { is: 'acked', at: 601 } : inTime(number)));
  const late = paceWith(inTime, 300);
  assert.equal(unsent.unsent, 1);
  assert.ok(Math.abs(stalled.stallMs - 410) < 1, `${stalled.stallMs} ms`);
  for (const pace of [unsent, stalled, late]) assert.equal(fellBehind({ pace }), true);
  assert.equal(fellBehind({ pace: undefined }), false, 'an older result does not say');
});

/**
 * @param {readonly number[]} losses of each trial
 * @returns {TrialOutcome[]}
 */
function outcomesOf(losses) {
  return losses.map((ackedLost, i) => {
    const trial = trialOf('async', { round: i + 1 });
    const audits = [auditOf('async', { round: i + 1, ackedLost })];
    return /** @type {TrialOutcome} */ (/** @type {Partial<TrialOutcome>} */ ({ trial, audits }));
  });
}

/** @param {ReturnType<typeof keptTimelines>} trials */
const roundsWithSteps = (trials) => trials.filter(({ writers }) => writers.length > 0).map(({ round }) => round);

test('of many trials the worst and the median keep their steps; all keep what is counted', () => {
  const outcomes = outcomesOf([3, 0, 9, 1, 2, 5, 4]);
  const kept = keptTimelines(outcomes, { stepsCount: false });
  assert.deepEqual(roundsWithSteps(kept), [1, 3]);
  const [full, short] = [outcomes[1].trial, kept[1]];
  assert.deepEqual([short.windows, short.reads, short.converged], [full.windows, full.reads, full.converged]);
  assert.deepEqual(
    short.events.map(({ kind }) => kind),
    ['fault-begun', 'down', 'promoted', 'fault-undone'],
  );
});

test('few trials keep all timelines; where steps are figures, thirty do', () => {
  const five = keptTimelines(outcomesOf([1, 2, 3, 4, 5]), { stepsCount: false });
  assert.equal(roundsWithSteps(five).length, 5);
  const forty = keptTimelines(outcomesOf(Array.from({ length: 40 }, () => 0)), { stepsCount: true });
  assert.deepEqual(
    roundsWithSteps(forty),
    Array.from({ length: 30 }, (_, i) => i + 1),
  );
});
