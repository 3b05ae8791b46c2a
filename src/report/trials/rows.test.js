import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from './fixture.js';
import { lostSeconds, mostText } from './losses.js';
import { rowsOf } from './rows.js';

/**
 * @import { AuditResult } from '../../result/failure-schema.js'
 * @import { Loss } from '../../audit/losses.js'
 */

/** @param {Partial<Loss> & {most: number}} some @returns {Loss} of one trial at 1,000 writes a second */
function lossOf({ most, ...some }) {
  return {
    trials: 1,
    each: [{ lost: most, acked: 16_000, share: most / 16_000, seconds: most / 1000 }],
    ...{ losing: 1, lost: most, acked: 16_000, most, seconds: most / 1000, usual: most, usualSeconds: most / 1000 },
    everything: false,
    ...some,
  };
}

test('a loss of everything has no seconds', () => {
  const all = lossOf({ most: 900, everything: true });
  assert.deepEqual([mostText(all), lostSeconds(all)], ['ALL 900', 'ALL']);
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
