import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf } from './fixture.js';
import { resourceChecks } from './resources-checks.js';
import { resourceFindings } from './resources-findings.js';
import { nodeOf, resourcesOf, usedRound } from './resources-fixture.js';

/** @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult */

describe('findings', () => {
  const [reading, writing, stream, idle, ...claims] = resourceFindings(resourcesOf()).map(({ text }) => text);

  test('reading: what the primary is spared, and where it goes', () => {
    assert.equal(
      reading,
      'Reading: with no replicas, 5.00 k/s take 90 % of a CPU of the primary; sent to the replica, 4.50 k/s take 2.0 % of the ' +
        'primary and 90 % of the replica; sent to 2 replicas, 6.00 k/s take 2.0 % of the primary and 90 % of the replicas together ' +
        '(one round of 1 s each, so no interval; one stack after the other)',
    );
  });

  test('writing: throughput, and the CPU that a write costs the primary', () => {
    assert.match(writing, /^Writing with no replicas: 4\.00 k\/s, 200 µs of the primary’s CPU a write; /);
    assert.match(writing, /; 1 replica, asynchronous: 3\.20 k\/s \(80 % of that\), 250 µs/);
    assert.match(writing, /; 2 replicas, WAIT 1: 2\.00 k\/s \(50 % of that\), 400 µs/);
  });

  test('what a write costs in traffic', () => {
    assert.equal(
      stream,
      'For each acknowledged write of 1 KiB the primary sent every replica 1.06 KiB with 1 replica, asynchronous; ' +
        '1.06 KiB with 2 replicas, WAIT 1',
    );
  });

  test('idle', () => {
    assert.match(idle, /no replicas: primary 1\.0 %, Sentinels 0\.40 %; /);
    assert.match(idle, /2 replicas, WAIT 1: primary 1\.0 %, replicas 2\.0 %, Sentinels/);
  });

  test('the article’s claims', () => {
    assert.match(
      claims[0],
      /affects writing quite a bit \(“Replication”, of MySQL\) holds here: one replica takes 20 % of throughput; there it took 21 %/,
    );
    assert.match(
      claims[1],
      /way less load \(“Replication”, of MySQL\) holds here: its CPU goes from 90 % to 2\.0 %, at 90 % of the throughput; /,
    );
    assert.equal(claims.length, 2);
  });

  test('claims that do not hold', () => {
    const result = resourcesOf();
    replace(result, 'set-1', [nodeOf('redis-1'), nodeOf('redis-2')], { writes: 4040 });
    replace(result, 'get-1', [nodeOf('redis-1', { cpu: 0.6 }), nodeOf('redis-2')], { writes: 4500 });
    const [write, read] = resourceFindings(result)
      .map(({ text }) => text)
      .filter((text) => text.startsWith('The claim'));
    assert.match(write, /does not hold here: throughput is 1\.0 % higher/);
    assert.match(read, /does not hold here: its CPU goes from 90 % to 60 %/);
  });

  test('what limited a figure is told with it, of reading as of writing', () => {
    const result = resourcesOf();
    for (const { summary } of result.cases) summary.limitedBy = 'machine';
    const [read, write] = resourceFindings(result).map(({ text }) => text);
    assert.match(
      read,
      /90 % of a CPU of the primary, limited by the machine; sent to the replica, .*, limited by the machine; /,
    );
    assert.equal(write.match(/, limited by the machine/g)?.length, 3);
  });

  test('only of what was measured', () => {
    const result = resourcesOf();
    result.cases = result.cases.filter(({ id }) => id === 'set-0');
    assert.deepEqual(resourceFindings(result), []);
    result.cases = [];
    assert.deepEqual(resourceFindings(result), []);
    assert.ok(
      resourceChecks(result).every(({ ok }) => !ok),
      'nothing measured shows nothing',
    );
  });
});

describe('checks', () => {
  test('all is well', () => {
    assert.deepEqual(
      resourceChecks(resourcesOf()).map(({ ok, detail }) => ({ ok, detail })),
      Array.from({ length: 3 }, () => ({ ok: true, detail: '3 cases' })),
    );
  });

  test('reads that the primary answered, although they were for the replicas', () => {
    const read = 4500 * 1024;
    const result = resourcesOf();
    replace(result, 'get-1', [nodeOf('redis-1', { networkOutBytes: read }), nodeOf('redis-2')], { writes: 4500 });
    const [check] = resourceChecks(result);
    assert.equal(check.ok, false);
    assert.equal(check.detail, '1 replica, asynchronous: of what was read, the primary sent 100 %');
  });

  test('reads that found nothing', () => {
    const result = resourcesOf();
    result.cases[2].rounds[0].reads = { answered: 5000, misses: 7, failed: 0 };
    const [check] = resourceChecks(result);
    assert.equal(check.detail, 'no replicas: 7 of 5,000 reads found nothing');
  });

  test('a replica that was not sent what was written', () => {
    const result = resourcesOf();
    const half = { counters: { replicationOutBytes: 2000 * 1100 } };
    replace(result, 'set-2', [nodeOf('redis-1', half), nodeOf('redis-2'), nodeOf('redis-3')], { writes: 2000 });
    assert.match(resourceChecks(result)[1].detail, /^2 replicas, WAIT 1: the primary sent its replicas 107 %/);
    assert.equal(resourceChecks(result)[1].ok, false);
  });

  test('a server that does not count what it sends: what its replicas received', () => {
    const uncounted = { counters: { replicationOutBytes: null } };
    for (const [networkInBytes, ok] of /** @type {const} */ ([
      [3200 * 1080, true],
      [1000, false],
      [null, false],
    ])) {
      const result = resourcesOf();
      replace(result, 'set-1', [nodeOf('redis-1', uncounted), nodeOf('redis-2', { networkInBytes })], { writes: 3200 });
      assert.equal(resourceChecks(result)[1].ok, ok, `${networkInBytes}`);
    }
  });

  test('what a node sent is not known: not taken for nothing', () => {
    const result = resourcesOf();
    replace(
      result,
      'get-1',
      [nodeOf('redis-1', { networkOutBytes: null }), nodeOf('redis-2', { networkOutBytes: 4500 * 1024 })],
      {
        writes: 4500,
      },
    );
    assert.equal(resourceChecks(result)[0].detail, '1 replica, asynchronous: what the primary sent is not known');
  });

  test('replicas that ran where none was to', () => {
    const result = resourcesOf();
    replace(result, 'set-0', [nodeOf('redis-1', { counters: { replicationOutBytes: 500_000 } })], { writes: 4000 });
    assert.equal(resourceChecks(result)[1].ok, false);
  });

  test('an idle round that was not', () => {
    const result = resourcesOf();
    result.cases[0].rounds[0].operations = 3;
    assert.equal(resourceChecks(result)[2].detail, 'no replicas: 3 operations');
  });
});

/**
 * @param {BenchmarkResult} result
 * @param {string} id
 * @param {import('./schema.js').NodeUse[]} nodes
 * @param {{writes: number}} round
 */
function replace(result, id, nodes, round) {
  const at = result.cases.findIndex((one) => one.id === id);
  result.cases[at] = caseOf(id, result.cases[at].params, [usedRound(nodes, round)]);
}
