import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from '../report/trials/fixture.js';
import { lossOf } from './losses.js';

/** @import { AuditResult } from '../result/failure-schema.js' */

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
    return lossOf(benchmark, benchmark.cases[0], benchmark.audit ?? [])?.everything;
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
