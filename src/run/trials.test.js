import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, trialOf } from '../report/trials/fixture.js';
import { keptTimelines } from './trial-document.js';
import { inLanes, whyNotCounted } from './trials.js';

/** @import { TrialOutcome } from './trial-document.js' */

const EVENTS = { down: '+odown', promoted: '+switch-master' };

test('every task is done once, no more at a time than there are lanes', async () => {
  let underWay = 0;
  let most = 0;
  /** @type {number[]} */
  const done = [];
  await inLanes([1, 2, 3, 4, 5], 2, async (task) => {
    underWay++;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
    done.push(task);
  });
  assert.deepEqual(done.sort(), [1, 2, 3, 4, 5]);
  assert.equal(most, 2);
});

test('a rejection lets the other lane end its task, and begins no other', async () => {
  /** @type {number[]} */
  const done = [];
  /** @type {() => void} */
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  const all = inLanes([1, 2, 3], 2, async (task) => {
    if (task === 1) {
      setImmediate(release);
      throw new Error('no');
    }
    await held;
    done.push(task);
  });
  await assert.rejects(all, /no/);
  assert.deepEqual(done, [2]);
});

test('fewer tasks than lanes', async () => {
  await inLanes([], 3, async () => assert.fail('there is none'));
});

test('a trial that needs a failover counts only with a promotion', () => {
  const needs = { needsFailover: true };
  const mark = (/** @type {string} */ what) => ({ afterMs: 1, who: 'sentinel-1', what, detail: 'redis-1' });
  assert.equal(whyNotCounted(needs, { marks: [mark('+odown'), mark('+switch-master')] }, EVENTS), null);
  assert.equal(whyNotCounted(needs, { marks: [mark('+odown')] }, EVENTS), 'No replica was promoted');
  const split = { marks: [mark('+odown'), mark('-failover-abort-not-elected')] };
  assert.equal(whyNotCounted(needs, split, EVENTS), 'The Sentinels elected nobody');
  assert.equal(whyNotCounted({}, { marks: [] }, EVENTS), null, 'nobody has to be promoted');
  assert.equal(whyNotCounted(needs, { marks: [mark('promoted')] }, { promoted: 'promoted' }), null, 'another system');
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
  const kept = keptTimelines(outcomes, { stepsCount: false, events: EVENTS });
  assert.deepEqual(roundsWithSteps(kept), [1, 3]);
  const [full, short] = [outcomes[1].trial, kept[1]];
  assert.deepEqual([short.windows, short.reads, short.converged], [full.windows, full.reads, full.converged]);
  assert.deepEqual(
    short.marks.map(({ what }) => what),
    ['fault begun', '+odown', '+switch-master', 'fault undone'],
  );
});

test('few trials keep all timelines; where steps are figures, thirty do', () => {
  const five = keptTimelines(outcomesOf([1, 2, 3, 4, 5]), { stepsCount: false, events: EVENTS });
  assert.equal(roundsWithSteps(five).length, 5);
  const forty = keptTimelines(outcomesOf(Array.from({ length: 40 }, () => 0)), { stepsCount: true, events: EVENTS });
  assert.deepEqual(
    roundsWithSteps(forty),
    Array.from({ length: 30 }, (_, i) => i + 1),
  );
});

test('a thousand trials stay small', () => {
  const kept = keptTimelines(outcomesOf(Array.from({ length: 1000 }, (_, i) => i)), {
    stepsCount: false,
    events: EVENTS,
  });
  assert.ok(JSON.stringify(kept).length < 1e6, 'less than 1 kB a trial');
});
