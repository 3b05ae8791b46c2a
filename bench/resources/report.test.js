import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verdictOf } from '../../src/report/articles.js';
import { caseOf, NAMED_FIGURES, resultOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { nodeOf, resourcesOf, usedRound } from '../../src/report/resource-fixture.js';
import { claims } from './claims.js';
import suite from './index.js';
import { limitOf, resourceFindings } from './report.js';
import resources from './resources.js';

/** @import { BenchmarkResult, NodeUse } from '../../src/result/schema.js' */

describe('findings', () => {
  test('reading, writing, traffic and idle: one short sentence each', () => {
    assert.deepEqual(
      resourceFindings(resourcesOf()).map(({ text }) => text),
      [
        'Reads sent to 1 replica: primary 2.0% of a core instead of 90%, replicas 90%; reads 4.50 k/s instead of 5.00 k/s (one round)',
        'Write throughput is 4.00 k/s with no replicas; 3.20 k/s (80%) with 1 replica, asynchronous; 2.00 k/s (50%) with 2 replicas, WAIT 1 (one round)',
        'A write costs the primary CPU time of 200 µs with no replicas; 250 µs with 1 replica, asynchronous; 400 µs with 2 replicas, WAIT 1 (one round)',
        'Each acknowledged write of 1 KiB sends 1.06 KiB to every replica (one round)',
        'CPU of idle nodes, at most, of one core: the primary 1.0%, all replicas 2.0%, all Sentinels 0.40% (one round)',
      ],
    );
    for (const { text } of resourceFindings(resourcesOf())) assert.ok(text.length <= 160, `${text.length}: ${text}`);
  });

  test('only from measured cases', () => {
    const result = resourcesOf();
    result.cases = result.cases.filter(({ id }) => id === 'set-0');
    assert.deepEqual(resourceFindings(result), []);
    result.cases = [];
    assert.deepEqual(resourceFindings(result), []);
    assert.ok(
      resources.checks(result).every(({ ok }) => !ok),
      'a check without cases fails',
    );
  });
});

describe('the front page', () => {
  const page = (benchmark = resourcesOf()) => {
    benchmark.findings = resourceFindings(benchmark);
    return renderFrontPage({ ...resultOf(), benchmarks: [benchmark] }, [suite], NAMED_FIGURES).replaceAll(/ +/g, ' ');
  };

  test('fits its budget, and says no sentence twice', () => {
    const text = page();
    assert.ok(text.split('\n').length + 3 <= 60, text);
    const sentences = text.match(/^- .+$/gm) ?? [];
    assert.equal(new Set(sentences).size, sentences.length);
  });

  test('compares topologies', () => {
    const text = page();
    assert.match(text, /^\| \| no replicas \| 1 replica, asynchronous \| 2 replicas, WAIT 1 \|$/m);
    assert.match(text, /^\| writing: acknowledged \| 4\.00 k\/s \| 3\.20 k\/s \| 2\.00 k\/s \|$/m);
    assert.match(text, /^\| reading: CPU of primary \/ replicas \| 90% \| 2\.0% \/ 90% \| 2\.0% \/ 90% \|$/m);
    const part = resourcesOf();
    part.cases = part.cases.filter(({ params }) => params.operation !== 'get');
    assert.match(page(part), /^\| reading: answered \| not measured \| not measured \|/m);
  });

  test('names the limit of reading and writing', () => {
    const result = resourcesOf();
    for (const { summary } of result.cases) summary.limitedBy = 'machine';
    const text = page(result);
    assert.match(text, /^\| writing: limited by \| machine \| machine \| machine \|$/m);
    assert.match(text, /^\| reading: limited by \| machine \| machine \| machine \|$/m);
  });

  test('reports a machine that other programs keep busy', () => {
    const benchmark = resourcesOf();
    for (const { rounds } of benchmark.cases) rounds[0].machineCpu = 0.5;
    assert.doesNotMatch(page(benchmark), /Other programs/);
    benchmark.cases[0].rounds[0].machineCpu = 0.9;
    // One idle case: the load process takes 0.8 of a core.
    assert.match(page(benchmark), /\*\*Other programs kept up to 49% of the machine’s cores busy/);
  });
});

test('a replica that answers the reads at its limit is named, whatever else is busy', () => {
  const one = (/** @type {'nothing' | 'client'} */ limitedBy, /** @type {number} */ mainThreadCpu) => {
    const result = caseOf('get', {}, [usedRound([nodeOf('redis-1'), nodeOf('redis-2', { mainThreadCpu })])]);
    return limitOf({ ...result, summary: { ...result.summary, limitedBy } });
  };
  assert.deepEqual(
    [one('nothing', 0.97), one('client', 0.97), one('client', 0.5)],
    ['a replica (97%)', 'a replica (97%), client', 'client'],
  );
});

describe('claims of the article', () => {
  const examine = (/** @type {BenchmarkResult} */ result) =>
    Object.fromEntries(claims.map((claim) => [claim.id.replace('replication.', ''), claim.examine(result, {})]));
  const verdicts = (/** @type {BenchmarkResult} */ result) =>
    Object.fromEntries(Object.entries(examine(result)).map(([id, examined]) => [id, verdictOf(examined)]));

  test('agree with the figures, but one round decides nothing', () => {
    const { 'async-cost': cost, 'read-relief': relief, 'read-throughput': reads } = examine(resourcesOf());
    assert.deepEqual([cost?.holds, relief?.holds, reads?.holds], [true, null, true]);
    assert.deepEqual(
      [cost?.ours, relief?.ours, reads?.ours],
      ['a cost of 20%', 'CPU of the primary from 90% to 2.0%', '90% of the throughput'],
    );
    assert.deepEqual(new Set(Object.values(verdicts(resourcesOf()))), new Set(['undecided']));
  });

  test('with more rounds they are reproduced, and another database contradicts none', () => {
    const result = resourcesOf();
    replace(result, 'set-1', [nodeOf('redis-1'), nodeOf('redis-2')], { writes: 4040 });
    replace(result, 'get-1', [nodeOf('redis-1', { cpu: 0.6 }), nodeOf('redis-2')], { writes: 4500 });
    for (const { rounds } of result.cases) rounds.push(...Array(4).fill(rounds[0]));
    assert.equal(verdicts(result)['async-cost'], 'undecided');
    const again = resourcesOf();
    for (const { rounds } of again.cases) rounds.push(...Array(4).fill(rounds[0]));
    assert.equal(verdicts(again)['async-cost'], 'reproduced');
    assert.equal(verdicts(again)['read-relief'], 'undecided', 'our client decides where reads go');
  });

  test('without their cases they are not measured', () => {
    assert.deepEqual(new Set(Object.values(verdicts({ ...resourcesOf(), cases: [] }))), new Set(['not measured']));
  });

  test('they stand in for MySQL', () => {
    assert.ok(claims.every(({ standIn }) => standIn));
  });
});

describe('checks', () => {
  test('passed checks name their cases', () => {
    assert.deepEqual(
      resources.checks(resourcesOf()).map(({ ok, detail }) => ({ ok, detail })),
      Array.from({ length: 3 }, () => ({ ok: true, detail: '3 cases' })),
    );
  });

  test('reads for the replicas that the primary answered', () => {
    const read = 4500 * 1024;
    const result = resourcesOf();
    replace(result, 'get-1', [nodeOf('redis-1', { networkOutBytes: read }), nodeOf('redis-2')], { writes: 4500 });
    const [check] = resources.checks(result);
    assert.equal(check.ok, false);
    assert.equal(check.detail, '1 replica, asynchronous: the primary sent 100% of the bytes read');
  });

  test('reads that found nothing', () => {
    const result = resourcesOf();
    result.cases[2].rounds[0].reads = { answered: 5000, misses: 7, failed: 0 };
    const [check] = resources.checks(result);
    assert.equal(check.detail, 'no replicas: 7 of 5,000 reads found nothing');
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
    assert.equal(
      resources.checks(result)[0].detail,
      '1 replica, asynchronous: the bytes that the primary sent are not known',
    );
  });

  test('replicas in a stack that must have none', () => {
    const result = resourcesOf();
    replace(result, 'set-0', [nodeOf('redis-1', { counters: { replicationOutBytes: 500_000 } })], { writes: 4000 });
    assert.equal(resources.checks(result)[1].ok, false);
  });

  test('an idle round with operations', () => {
    const result = resourcesOf();
    result.cases[0].rounds[0].operations = 3;
    assert.equal(resources.checks(result)[2].detail, 'no replicas: 3 operations');
  });
});

/**
 * @param {BenchmarkResult} result
 * @param {string} id
 * @param {NodeUse[]} nodes
 * @param {{writes: number}} round
 */
function replace(result, id, nodes, round) {
  const at = result.cases.findIndex((one) => one.id === id);
  result.cases[at] = caseOf(id, result.cases[at].params, [usedRound(nodes, round)]);
}
