import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { whyNotBoth } from '../experiments/replicas.js';
import { decisionRows } from './decision.js';
import { faultBenchmarks } from './failures.js';

test('freezing both replicas needs a stack with two', () => {
  assert.equal(whyNotBoth(2), null);
  assert.match(String(whyNotBoth(4)), /has 4\. Measure it with `--replicas 2`/);
});

test('where Sentinels stay with the primary, a partition counts without a failover and its checks pass', () => {
  const name = 'sweep-partition-with-replica';
  const benchmark = faultBenchmarks.find((each) => each.name === name);
  const resultOf = (/** @type {import('../../src/result/events.js').EventKind} */ kind) =>
    failureBenchmarkOf(name, [
      {
        mode: 'wait1',
        audits: [auditOf('wait1', { ackedLost: 0 })],
        trials: [trialOf('wait1', { events: [{ at: 1, by: 'harness', kind }] })],
      },
    ]);
  const kept = resultOf('no-promotion-due');
  assert.deepEqual(
    benchmark?.checks(kept, {}).filter(({ ok }) => !ok),
    [],
  );
  const lost = (/** @type {typeof kept} */ one) =>
    decisionRows(failureResultOf([one])).map((row) => row.trials[0].loss.writes);
  assert.deepEqual(lost(kept), [0]);
  const missed = resultOf('fault-begun');
  assert.ok(benchmark?.checks(missed, {}).some(({ ok }) => !ok));
  assert.deepEqual(lost(missed), []);
});

test('the modes of the pages go through a partition with one Sentinel beside each node, too', () => {
  const benchmark = faultBenchmarks.find(({ name }) => name === 'sweep-partition-with-replica');
  const placed = benchmark
    ?.cases({ profile: PROFILES.quick, server: { name: 'redis', version: '7.0.15' }, storages: [] })
    .filter(({ params }) => params.placement !== undefined);
  assert.deepEqual(
    placed?.map(({ id, params }) => [id, params.placement, params.writers?.length]),
    [
      ['defaults-colocated', 'colocated', 3],
      ['aof-colocated', 'colocated', 3],
      ['wait1-min1-aof-colocated', 'colocated', 3],
      ['wait2-min2-aof-always-colocated', 'colocated', 3],
    ],
  );
});
