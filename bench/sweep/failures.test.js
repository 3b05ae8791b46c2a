import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { whyNotBoth } from '../experiments/both-replicas-paused.js';
import { faultBenchmarks, pauseFindings } from './failures.js';
import { faultTrials } from './trials.js';

/**
 * @param {Record<string, Partial<Record<'acked' | 'underAcked' | 'rejected', number>>>} modes what of each step's ten writes became so
 * @returns {any} a pause from 1 s to 5 s
 */
function benchmarkOf(modes) {
  const steps = (/** @type {number} */ each) => Array.from({ length: 60 }, () => each);
  return {
    cases: Object.keys(modes).map((id) => ({ id, params: { mode: id, wait: 0 } })),
    timeline: Object.entries(modes).map(([id, { acked = 0, underAcked = 0, rejected = 0 }]) => ({
      case: id,
      round: 1,
      stepMs: 100,
      events: [
        { at: 1000, by: 'harness', kind: 'fault-begun', node: 'redis-2', fault: 'pause' },
        { at: 5000, by: 'harness', kind: 'fault-undone', node: 'redis-2', fault: 'pause' },
      ],
      writers: [
        {
          writer: 'sticky',
          acked: steps(acked),
          underAcked: steps(underAcked),
          rejected: steps(rejected),
          unknown: steps(0),
          unsent: steps(0),
        },
      ],
    })),
  };
}

test('says with which configurations writes were acked in the end', () => {
  const [finding] = pauseFindings(
    benchmarkOf({
      async: { acked: 10 },
      min2: { rejected: 10 },
      wait2: { underAcked: 10 },
      half: { acked: 5, rejected: 5 },
    }),
  );
  assert.equal(
    finding.text,
    'No write acked: min2, wait2; a share acked: half 50%; every write acked: async (last 2 s, 1 trial each)',
  );
  assert.deepEqual(finding.evidence, ['async', 'min2', 'wait2', 'half']);
});

test('one different trial shows', () => {
  const [most, other] = [{ acked: 10 }, { rejected: 10 }].map((outcomes) => benchmarkOf({ min1: outcomes }));
  other.timeline[0].round = 2;
  const again = { ...most.timeline[0], round: 3 };
  assert.equal(
    pauseFindings({ ...most, timeline: [...most.timeline, ...other.timeline, again] })[0].text,
    'A share acked: min1 100% (0%–100%) (last 2 s, 3 trials each)',
  );
});

test('without a pause there is no finding', () => {
  assert.deepEqual(pauseFindings(benchmarkOf({})), []);
});

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
  assert.match(benchmark?.findings(kept, {})[0].text ?? '', /^WAIT 1 lost 0 of 10,000 acknowledged writes/);
  assert.deepEqual(
    faultTrials({ benchmarks: [kept] }).map(({ loss }) => loss.most),
    [0],
  );
  const missed = resultOf('fault-begun');
  assert.ok(benchmark?.checks(missed, {}).some(({ ok }) => !ok));
  assert.deepEqual(faultTrials({ benchmarks: [missed] }), []);
});

test('the larger profiles try a partition with one Sentinel beside each node, too', () => {
  const benchmark = faultBenchmarks.find(({ name }) => name === 'sweep-partition-with-replica');
  const placedIn = (/** @type {'quick' | 'standard'} */ profile) =>
    benchmark
      ?.cases({ profile: PROFILES[profile], server: { name: 'redis', version: '7.0.15' }, storages: [] })
      .filter(({ params }) => params.placement !== undefined);
  assert.deepEqual(placedIn('quick'), []);
  assert.deepEqual(
    placedIn('standard')?.map(({ id, params }) => [id, params.placement, params.writers?.length]),
    [
      ['wait1-min1-aof-colocated', 'colocated', 3],
      ['wait2-min2-aof-always-colocated', 'colocated', 3],
    ],
  );
});
