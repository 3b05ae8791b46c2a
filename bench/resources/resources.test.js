import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf } from '../../src/report/fixture.js';
import { nodeOf, resourcesOf, usedRound } from '../../src/report/resource-fixture.js';
import resources from './resources.js';

/** @import { BenchmarkResult, NodeUse } from '../../src/result/schema.js' */

/** @param {string} id @param {number} writes @param {...NodeUse} nodes @returns {(result: BenchmarkResult) => void} changes a case */
const replaced =
  (id, writes, ...nodes) =>
  ({ cases }) => {
    const at = cases.findIndex((one) => one.id === id);
    cases[at] = caseOf(id, cases[at].params, [usedRound(nodes, { writes })]);
  };

const READ = 4500 * 1024;
const UNCOUNTED = nodeOf('redis-1', { counters: { replicationOutBytes: null } });
const sent = (/** @type {number} */ replicationOutBytes) => nodeOf('redis-1', { counters: { replicationOutBytes } });
/** @param {number | null} networkInBytes of the replica of a server without its own counter */
const received = (networkInBytes) => replaced('set-1', 3200, UNCOUNTED, nodeOf('redis-2', { networkInBytes }));

/** @type {[what: string, change: (result: BenchmarkResult) => void, check: number, detail: RegExp | null][]} null: it holds */
const CASES = [
  [
    'reads for the replicas that the primary answered',
    replaced('get-1', 4500, nodeOf('redis-1', { networkOutBytes: READ }), nodeOf('redis-2')),
    0,
    /^1 replica: the primary sent 100% of the bytes read$/,
  ],
  [
    'reads that found nothing',
    ({ cases }) => Object.assign(cases[2].rounds[0], { reads: { answered: 5000, misses: 7, failed: 0 } }),
    0,
    /^primary alone: 7 of 5,000 reads found nothing$/,
  ],
  [
    'unknown bytes do not count as zero',
    replaced('get-1', 4500, nodeOf('redis-1', { networkOutBytes: null }), nodeOf('redis-2', { networkOutBytes: READ })),
    0,
    /^1 replica: the bytes that the primary sent are not known$/,
  ],
  [
    'a replica that was not sent the writes',
    replaced('set-2', 2000, sent(2000 * 1100), nodeOf('redis-2'), nodeOf('redis-3')),
    1,
    /^2 replicas, WAIT 1: the primary sent its replicas 107%/,
  ],
  ['a server without its own counter: its replica received the writes', received(3200 * 1080), 1, null],
  ['its replica did not receive them', received(1000), 1, /./],
  ['nobody counted', received(null), 1, /./],
  ['replicas in a stack that must have none', replaced('set-0', 4000, sent(500_000)), 1, /./],
  [
    'an idle round with operations',
    ({ cases }) => Object.assign(cases[0].rounds[0], { operations: 3 }),
    2,
    /^primary alone: 3 operations$/,
  ],
];

describe('checks', () => {
  test('passed checks name their cases; without cases they are skipped', () => {
    assert.deepEqual(
      resources.checks(resourcesOf()).map(({ ok, detail }) => ({ ok, detail })),
      Array.from({ length: 3 }, () => ({ ok: true, detail: '3 checked' })),
    );
    assert.ok(resources.checks({ ...resourcesOf(), cases: [] }).every(({ skipped }) => skipped));
  });

  for (const [what, change, index, expected] of CASES) {
    test(what, () => {
      const result = resourcesOf();
      change(result);
      const { ok, detail } = resources.checks(result)[index];
      assert.equal(ok, expected === null, detail);
      assert.match(detail, expected ?? /checked/);
    });
  }
});
