import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { readResult } from '../../src/result/read.js';
import { ResultSchema } from '../index.js';
import { compareLosses } from './consistency.js';
import { sweepResultOf } from './decision-fixture.js';

/**
 * @param {string} mode
 * @param {readonly number[]} losses one a trial
 * @param {{name?: string, variant?: string, rate?: number}} [options]
 */
function failureOf(mode, losses, { name = 'primary-partition', variant } = {}) {
  const id = variant === undefined ? mode : `${mode}-${variant}`;
  const part = {
    ...{ id, mode, variant },
    audits: losses.map((ackedLost, i) => auditOf(id, { round: i + 1, ackedLost })),
    trials: losses.map((_, i) => trialOf(id, { round: i + 1 })),
  };
  return failureResultOf([failureBenchmarkOf(name, [part])]);
}

/**
 * @param {readonly number[]} sweep
 * @param {readonly number[]} failure
 */
function agree(sweep, failure) {
  const [one, ...more] = compareLosses(
    sweepResultOf([{ mode: 'async', lostOnPartition: [...sweep] }]),
    failureOf('async', failure),
  );
  assert.deepEqual([one.fault, one.mode, more], ['partition', 'async', []]);
  return one.consistent;
}

describe('the losses of a sweep and of the failure suite', () => {
  test('agree when both lost nothing, or both lost', () => {
    assert.equal(agree([0], [0]), true);
    assert.equal(agree([9000], [120]), true);
  });

  test('disagree when one lost nothing and the other lost a second, in one trial each', () => {
    assert.equal(agree([0], [988]), false);
    assert.equal(agree([988], [0]), false);
  });

  test('agree when a few writes in flight were lost in one of them', () => {
    assert.equal(agree([0], [16]), true);
  });

  test('disagree when the exact intervals of the frequencies do not overlap', () => {
    const [never, always] = [Array(20).fill(0), Array(20).fill(3)];
    assert.equal(agree(never, always), false);
    assert.equal(agree(never, [...Array(18).fill(0), 3, 3]), true);
  });

  test('a rare long loss is no rule', () => assert.equal(agree([0], [0, 0, 0, 988]), true));

  test('only modes and faults that both have are compared; the runbook is compared with its variant', () => {
    const sweep = sweepResultOf([{ mode: 'async', lostOnPartition: [5000], lost: { failover: [5000], runbook: [0] } }]);
    assert.deepEqual(compareLosses(sweep, failureOf('wait1', [0])), []);
    const comparisons = compareLosses(sweep, failureOf('async', [0], { name: 'planned-failover', variant: 'by-hand' }));
    assert.deepEqual(
      comparisons.map(({ fault, consistent }) => [fault, consistent]),
      [['runbook', true]],
    );
  });

  test('a trial without a promotion does not count', () => {
    const failure = failureOf('async', [0]);
    for (const trial of failure.benchmarks[0].timeline ?? []) trial.events = [];
    assert.deepEqual(compareLosses(sweepResultOf([{ mode: 'async', lostOnPartition: [5000] }]), failure), []);
  });

  test('the samples agree', async () => {
    const [sweep, failure] = await Promise.all(
      ['config-sweep', 'failure'].map((suite) => readResult(`results/sample/${suite}`, ResultSchema)),
    );
    const compared = compareLosses(sweep, failure);
    assert.ok(compared.length > 0);
    assert.deepEqual(
      compared.filter(({ consistent }) => !consistent),
      [],
    );
  });
});
