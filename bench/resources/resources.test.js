import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf } from '../../src/report/fixture.js';
import { nodeOf, resourcesOf, usedRound } from '../../src/report/resource-fixture.js';
import resources from './resources.js';

/** @import { BenchmarkResult, NodeUse } from '../../src/result/schema.js' */

describe('checks', () => {
  test('passed checks name their cases', () => {
    assert.deepEqual(
      resources.checks(resourcesOf()).map(({ ok, detail }) => ({ ok, detail })),
      Array.from({ length: 3 }, () => ({ ok: true, detail: '3 checked' })),
    );
  });

  test('reads for the replicas that the primary answered', () => {
    const read = 4500 * 1024;
    const result = resourcesOf();
    replace(result, 'get-1', [nodeOf('redis-1', { networkOutBytes: read }), nodeOf('redis-2')], { writes: 4500 });
    const [check] = resources.checks(result);
    assert.equal(check.ok, false);
    assert.equal(check.detail, '1 replica: the primary sent 100% of the bytes read');
  });

  test('reads that found nothing', () => {
    const result = resourcesOf();
    result.cases[2].rounds[0].reads = { answered: 5000, misses: 7, failed: 0 };
    const [check] = resources.checks(result);
    assert.equal(check.detail, 'primary alone: 7 of 5,000 reads found nothing');
  });

  test('a replica that was not sent the writes', () => {
    const result = resourcesOf();
    const half = { counters: { replicationOutBytes: 2000 * 1100 } };
    replace(result, 'set-2', [nodeOf('redis-1', half), nodeOf('redis-2'), nodeOf('redis-3')], { writes: 2000 });
    assert.match(resources.checks(result)[1].detail, /^2 replicas, WAIT 1: the primary sent its replicas 107%/);
    assert.equal(resources.checks(result)[1].ok, false);
  });

  test('a server without its own counter: the bytes that its replicas received', () => {
    const uncounted = { counters: { replicationOutBytes: null } };
    for (const [networkInBytes, ok] of /** @type {const} */ ([
      [3200 * 1080, true],
      [1000, false],
      [null, false],
    ])) {
      const result = resourcesOf();
      replace(result, 'set-1', [nodeOf('redis-1', uncounted), nodeOf('redis-2', { networkInBytes })], { writes: 3200 });
      assert.equal(resources.checks(result)[1].ok, ok, `${networkInBytes}`);
    }
  });

  test('unknown bytes do not count as zero', () => {
    const result = resourcesOf();
    replace(
      result,
      'get-1',
      [nodeOf('redis-1', { networkOutBytes: null }), nodeOf('redis-2', { networkOutBytes: 4500 * 1024 })],
      {
        writes: 4500,
      },
    );
    assert.equal(resources.checks(result)[0].detail, '1 replica: the bytes that the primary sent are not known');
  });

  test('a check without cases is skipped', () => {
    assert.ok(resources.checks({ ...resourcesOf(), cases: [] }).every(({ skipped }) => skipped));
  });

  test('replicas in a stack that must have none', () => {
    const result = resourcesOf();
    replace(result, 'set-0', [nodeOf('redis-1', { counters: { replicationOutBytes: 500_000 } })], { writes: 4000 });
    assert.equal(resources.checks(result)[1].ok, false);
  });

  test('an idle round with operations', () => {
    const result = resourcesOf();
    result.cases[0].rounds[0].operations = 3;
    assert.equal(resources.checks(result)[2].detail, 'primary alone: 3 operations');
  });
});

/** @param {BenchmarkResult} result @param {string} id @param {NodeUse[]} nodes @param {{writes: number}} round */
function replace(result, id, nodes, round) {
  const at = result.cases.findIndex((one) => one.id === id);
  result.cases[at] = caseOf(id, result.cases[at].params, [usedRound(nodes, round)]);
}
