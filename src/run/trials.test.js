import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_PARAMS } from './case.js';
import { inLanes, lanesOf } from './lanes.js';
import { disksFor } from './own-stacks.js';
import { PROFILES } from './profiles.js';
import { whyNotCounted } from './trials.js';

/**
 * @import { EventKind } from '../result/events.js'
 * @import { CaseParams } from '../result/schema.js'
 * @import { TrialBenchmark } from './types.js'
 */

test('a rejection lets the other lane end its task, and begins no other', async () => {
  /** @type {number[]} */
  const done = [];
  /** @type {() => void} */
  let release = () => {};
  const released = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  const all = inLanes([1, 2, 3], 2, async (task) => {
    if (task === 1) {
      setImmediate(release);
      throw new Error('no');
    }
    await released;
    done.push(task);
  });
  await assert.rejects(all, /no/);
  assert.deepEqual(done, [2]);
});

test('a trial whose fault has to end before a failover counts only without a promotion', () => {
  const early = { beforeFailover: true };
  const promotion = /** @type {const} */ ({ at: 1, by: 'sentinel-1', kind: 'promoted', node: 'redis-1' });
  assert.equal(whyNotCounted(early, DEFAULT_PARAMS, { events: [] }), null);
  assert.equal(whyNotCounted({}, DEFAULT_PARAMS, { events: [promotion] }), null);
  const why = whyNotCounted(early, DEFAULT_PARAMS, { events: [promotion] });
  assert.equal(why, 'A replica was promoted before the primary was back');
});

test('a trial that needs a failover counts only with a promotion', () => {
  const needs = { needsFailover: true };
  const mark = (/** @type {EventKind} */ kind) => ({ at: 1, by: 'sentinel-1', kind, node: 'redis-1' });
  assert.equal(whyNotCounted(needs, DEFAULT_PARAMS, { events: [mark('down'), mark('promoted')] }), null);
  assert.equal(whyNotCounted(needs, DEFAULT_PARAMS, { events: [mark('down')] }), 'No replica was promoted');
  const split = { events: [mark('down'), mark('nobody-elected')] };
  assert.equal(whyNotCounted(needs, DEFAULT_PARAMS, split), 'The Sentinels elected nobody');
  assert.equal(whyNotCounted({}, DEFAULT_PARAMS, { events: [] }), null, 'no promotion is needed');
  const byCase = { needsFailover: (/** @type {CaseParams} */ { way }) => way === 'promoted' };
  assert.equal(whyNotCounted(byCase, DEFAULT_PARAMS, { events: [] }), null);
  assert.match(whyNotCounted(byCase, { ...DEFAULT_PARAMS, way: 'promoted' }, { events: [] }) ?? '', /No replica/);
  const none = /** @type {const} */ ({ at: 1, by: 'harness', kind: 'no-promotion-due' });
  assert.equal(whyNotCounted(needs, DEFAULT_PARAMS, { events: [none] }), null, 'nobody can promote a replica');
  const restarted = { events: [{ ...none, kind: /** @type {const} */ ('restarted') }] };
  assert.equal(whyNotCounted(needs, DEFAULT_PARAMS, restarted), null, 'a supervisor was faster');
});

test('a trial in which nodes evicted keys is not counted, whatever it needs', () => {
  const removed = { evicted: 1, expired: 0, flushes: 0, hadExpiring: false };
  assert.match(whyNotCounted({}, DEFAULT_PARAMS, { events: [], removed }) ?? '', /evicted 1 key/);
});

test('nodes have disks of their own only for faults of disks: the first primary, or every data node', () => {
  const nodes = [
    { id: 'redis-1', kind: 'redis' },
    { id: 'redis-2', kind: 'redis' },
    { id: 'sentinel-1', kind: 'sentinel' },
  ];
  assert.deepEqual(disksFor({}, ['kill'], nodes), []);
  assert.deepEqual(disksFor({ disks: 'all' }, ['kill'], nodes), []);
  assert.deepEqual(disksFor({}, ['power-loss'], nodes), ['redis-1']);
  assert.deepEqual(disksFor({ disks: 'all' }, ['power-loss'], nodes), ['redis-1', 'redis-2']);
});

describe('lanes', () => {
  const planned = (/** @type {number} */ cases, /** @type {number} */ most = Number.POSITIVE_INFINITY) => ({
    benchmark: /** @type {TrialBenchmark} */ (/** @type {unknown} */ ({ mostLanes: () => most })),
    cases: Array.from({ length: cases }, () => /** @type {any} */ ({})),
  });
  const benchOf = (/** @type {boolean} */ ours) =>
    /** @type {any} */ ({ stack: { about: { ours } }, profile: PROFILES.quick });

  test('a benchmark has as many as the run has, or as it allows', () => {
    const [many, two, alone] = [planned(9), planned(9, 2), planned(9, 1)];
    const lanes = [many, two, alone].map(({ benchmark }) =>
      lanesOf(benchmark, [many, two, alone], benchOf(true), { lanes: 4 }),
    );
    assert.deepEqual(lanes, [4, 2, 1]);
    assert.equal(lanesOf(two.benchmark, [two], benchOf(true), { lanes: 1 }), 1);
  });

  test('a stack that is not ours exists once', () => {
    const many = planned(9);
    assert.equal(lanesOf(many.benchmark, [many], benchOf(false), { lanes: 4 }), 1);
  });
});
