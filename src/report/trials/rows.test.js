import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from './fixture.js';
import { lostSeconds, mostText, upToText, worstLoss } from './losses.js';
import { largestFirst, rowsOf } from './rows.js';

/**
 * @import { AuditResult } from '../../result/failure-schema.js'
 * @import { Loss } from '../../audit/losses.js'
 * @import { TrialRow } from './rows.js'
 */

/** @typedef {Partial<Loss> & {outageMs?: number}} Some */

/** @param {Some} some @returns {Loss} of one trial at 1,000 writes a second */
function lossOf({ most = 0, outageMs: _, ...some }) {
  return {
    trials: 1,
    each: [{ lost: most, acked: 16_000, share: most / 16_000, seconds: most / 1000 }],
    losing: Number(most > 0),
    lost: most,
    acked: 16_000,
    most,
    seconds: most / 1000,
    usual: most,
    usualSeconds: most / 1000,
    everything: false,
    ...some,
  };
}

/**
 * @param {Record<string, Some>} some by fault; outageMs: in all trials
 * @returns {TrialRow[]} of one mode
 */
function modeOf(some) {
  return Object.entries(some).map(([id, one]) => {
    const { outageMs: ms = 100 } = one;
    const outage = { medianMs: ms, lowMs: ms, highMs: ms, toTheEnd: 0 };
    return /** @type {TrialRow} */ ({ fault: { id, title: `a ${id}` }, mode: 'async', loss: lossOf(one), outage });
  });
}

const ALL = { most: 900, everything: true };

describe('the losses of a mode', () => {
  test('largest first: a loss of everything before a larger number', () => {
    const rows = modeOf({ kill: { most: 5 }, restart: ALL, partition: { most: 5000 } });
    assert.deepEqual(
      rows.sort(largestFirst).map(({ fault }) => fault.id),
      ['restart', 'partition', 'kill'],
    );
  });
});

describe('a loss in words', () => {
  test('a cell: the worst trial, and how many trials lost something', () => {
    assert.equal(worstLoss(null), '–');
    assert.equal(worstLoss(lossOf({ most: 988 })), '988 (988 ms)');
    assert.equal(worstLoss(lossOf({ most: 988, trials: 5, losing: 2 })), '988 (988 ms), 2/5');
  });

  test('a loss of everything has no seconds, wherever it is shown', () => {
    const all = lossOf({ ...ALL, trials: 5, losing: 5 });
    assert.equal(worstLoss(all), 'ALL 900, 5/5');
    assert.deepEqual([mostText(all), upToText(all), lostSeconds(all)], ['ALL 900', 'ALL 900', 'ALL']);
  });
});

describe('rows of a benchmark', () => {
  const audits = /** @type {const} */ (['sticky', 'failover-aware']).map((writer, i) =>
    auditOf('wait1', { writer, ackedLost: 5 * i, unavailableMs: 100 * (i + 1) }),
  );
  const benchmark = failureBenchmarkOf('primary-killed', [{ mode: 'wait1', audits, trials: [trialOf('wait1')] }]);

  test('one for each case: the worse of its writers', () => {
    const [row, ...others] = rowsOf(benchmark);
    assert.deepEqual(others, []);
    assert.deepEqual([row.fault.title, row.mode, row.writer], ['primary-killed', 'wait1', '']);
    assert.deepEqual([row.loss.most, row.outage.medianMs], [5, 200]);
  });

  test('one for each writer, with the titles of the suite', () => {
    const titles = { case: () => 'WAIT 1', writer: (/** @type {string} */ name) => name.toUpperCase() };
    const fault = { id: 'kill', title: 'primary killed' };
    const rows = rowsOf(benchmark, { each: true, titles, fault: () => fault });
    assert.deepEqual(
      rows.map(({ mode, writer, loss, ...row }) => [row.fault, mode, writer, loss.most]),
      [
        [fault, 'WAIT 1', 'STICKY', 0],
        [fault, 'WAIT 1', 'FAILOVER-AWARE', 5],
      ],
    );
  });
});

describe('everything before the fault is lost', () => {
  /** 1,000 writes are acknowledged before the fault, in ten steps. */
  const isAll = (
    /** @type {number[] | undefined} */ lost,
    /** @type {Partial<AuditResult>} */ audit,
    events = trialOf('async').events,
  ) => {
    const trial = trialOf('async', { names: ['sticky'], events });
    trial.writers[0].lost = lost && trial.writers[0].acked.map((_, step) => lost[step] ?? 0);
    const benchmark = failureBenchmarkOf('x', [{ mode: 'async', audits: [auditOf('async', audit)], trials: [trial] }]);
    return rowsOf(benchmark)[0].loss.everything;
  };
  const full = Array.from({ length: 10 }, () => 100);
  const afterwards = [...full.map(() => 0), ...full];

  test('by when the lost writes were acknowledged', () => {
    assert.equal(isAll(full, { ackedLost: 1000 }), true);
    assert.equal(isAll([...full.slice(1), 90], { ackedLost: 990 }), true);
    assert.equal(isAll([...full.slice(1), 89], { ackedLost: 989 }), false);
    assert.equal(isAll(afterwards, { ackedLost: 1000 }), false, 'writes that a primary took after the fault');
  });

  test('an earlier result does not say when: only without a promotion they were those before the fault', () => {
    const begun = trialOf('async').events.filter(({ kind }) => kind === 'fault-begun');
    assert.equal(isAll(undefined, { ackedLost: 1000 }, begun), true);
    assert.equal(isAll(undefined, { ackedLost: 989 }, begun), false);
    assert.equal(isAll(undefined, { ackedLost: 1000 }), false);
    assert.equal(isAll(full, { ackedLost: 1000 }, []), false, 'no fault');
  });
});
