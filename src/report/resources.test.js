import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, roundOf } from './fixture.js';
import { nodeOf, usedRound } from './resource-fixture.js';
import { hasUse, othersShare, useByNode } from './resources.js';

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
