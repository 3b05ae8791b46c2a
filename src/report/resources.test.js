import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, roundOf } from './fixture.js';
import { nodeOf, resourcesOf, usedRound } from './resource-fixture.js';
import { hasUse, othersShare, topologiesOf, useByNode, useByRole, useOf } from './resources.js';

const nodes = (/** @type {number} */ factor) => [
  nodeOf('sentinel-1', { cpu: 0.004 * factor }),
  nodeOf('redis-1', { cpu: 0.8 * factor, networkOutBytes: 1000 * factor, counters: { evictedKeys: factor } }),
  nodeOf('redis-3', { cpu: 0.3 * factor, networkOutBytes: 100 * factor, counters: { delayedFsyncs: factor } }),
  nodeOf('redis-2', { cpu: 0.2 * factor, networkOutBytes: 300 * factor }),
];

const result = caseOf('x', {}, [
  usedRound(nodes(1), { writes: 10, seconds: 2 }),
  usedRound(nodes(3), { writes: 10, seconds: 2 }),
  usedRound(nodes(2), { writes: 10, seconds: 2 }),
]);

test('a row for each node: the primary, the replicas, the Sentinels, the load', () => {
  const rows = useByNode(result);
  assert.deepEqual(
    rows.map(({ name, role }) => `${name} ${role}`),
    ['redis-1 primary', 'redis-2 replica', 'redis-3 replica', 'sentinel-1 sentinel', 'load process load'],
  );
  assert.equal(rows[0].cpu, 1.6, 'the median');
  assert.equal(rows[0].networkOut, 1000, 'bytes a second, the median');
  assert.equal(rows[0].evicted, 6, 'of all rounds together');
  assert.equal(rows[3].evicted, null, 'a Sentinel has no such counters');
  assert.equal(rows[4].networkOut, 3000);
});

test('a row for each role: replicas are summed; a figure missing for one node is missing for the sum', () => {
  const [primary, replicas, sentinels, load] = useByRole(result);
  assert.deepEqual(
    [primary, replicas, sentinels, load].map(({ name }) => name),
    ['primary', '2 replicas', '1 Sentinel', 'load process'],
  );
  assert.equal(replicas.cpu, 1);
  assert.equal(replicas.networkOut, 400);
  assert.equal(replicas.threads, 10);
  assert.equal(replicas.delayedFsyncs, null, 'one of them has no append-only file');
  assert.equal(useOf(result, 'replica')?.cpu, 1);
});

describe('missing figures', () => {
  test('rounds of earlier versions have CPU and memory only', () => {
    const old = caseOf('old', {}, [roundOf({ writes: 10 })]);
    assert.equal(hasUse(old), false);
    assert.equal(hasUse(result), true);
    assert.deepEqual(
      useByNode(old).map(({ name, cpu, networkIn, evicted }) => ({ name, cpu, networkIn, evicted })),
      [
        { name: 'redis-1', cpu: 0.5, networkIn: null, evicted: null },
        { name: 'redis-2', cpu: 0.12, networkIn: null, evicted: null },
      ],
    );
  });

  test('a round in which a node was restarted does not hide the others', () => {
    const again = usedRound([nodeOf('redis-1', { cpu: null, counters: null })], { writes: 10 });
    const [primary] = useByNode(caseOf('x', {}, [again, usedRound(nodes(1), { writes: 10 })]));
    assert.equal(primary.cpu, 0.8);
    assert.equal(primary.evicted, null, 'the sum is unknown');
  });

  test('no load process is shown if another program made the load', () => {
    const load = { cpu: 1, eventLoopUtilization: 0, process: null };
    const rows = useByNode(caseOf('x', {}, [usedRound(nodes(1), { writes: 10, load })]));
    assert.ok(rows.every(({ role }) => role !== 'load'));
  });
});

test('the share of the machine that other programs used', () => {
  const of = (/** @type {number | null} */ cpu, /** @type {number} */ machineCpu) =>
    othersShare(caseOf('x', {}, [usedRound([nodeOf('redis-1', { cpu })], { writes: 1, machineCpu })]), 2);
  // The load process takes 0.8 of a core, the primary 0.6: 70% of two.
  assert.equal(of(0.6, 0.95)?.toFixed(3), '0.250');
  assert.ok(Math.abs(Number(of(0.6, 0.7))) < 1e-9);
  assert.equal(of(null, 0.95), null);
});

test('cases are grouped by their number of replicas', () => {
  const topologies = topologiesOf(resourcesOf().cases);
  assert.deepEqual(
    topologies.map(({ title, cases }) => `${title}: ${cases.length}`),
    ['no replicas: 3', '1 replica, asynchronous: 3', '2 replicas, WAIT 1: 3'],
  );
  assert.equal(topologiesOf([result])[0].title, 'all replicas, asynchronous');
});
