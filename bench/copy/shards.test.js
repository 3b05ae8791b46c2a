import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PROFILES } from '../../src/run/profiles.js';
import { copyCaseOf, copyOf } from './fixture.js';
import { shardCases } from './modes.js';
import shards, { shardAnswer, shardFindings } from './shards.js';

/** @import { CopyFigures } from './document.js' */

const PARAMS = { copyMode: 'redis-shake-sync', mover: 'redis-shake-sync', pairs: 3, shards: 3 };

/** @param {Partial<CopyFigures>} [together] figures of one process for all shards */
function benchmarkOf(together = { seconds: 2 }) {
  const each = { ...copyCaseOf({ ...PARAMS, movers: 3 }, { seconds: 1 }), id: 'redis-shake-sync-each' };
  const one = copyCaseOf({ ...PARAMS, movers: 1 }, together, { baseline: each });
  return { ...copyOf(), name: 'copy-shards', cases: [each, { ...one, id: 'redis-shake-sync-one' }] };
}

test('every mode is measured both ways, and the three processes are the baseline', () => {
  for (const profile of Object.values(PROFILES)) {
    const cases = shardCases({ profile });
    for (const { id, baseline, params } of cases) {
      assert.equal(baseline, params.movers === 1 ? id.replace(/-one$/, '-each') : undefined);
      assert.equal(params.shards, 3);
    }
    assert.equal(cases.filter(({ params }) => params.movers === 1).length, cases.length / 2);
  }
});

describe('one process for all shards against one for each', () => {
  test('the finding names the ratio', () => {
    assert.match(
      shardFindings(benchmarkOf())[0].text,
      /^redis-shake-sync: one process copies 50\.0 k\/s, 0\.50 of 3 processes/,
    );
  });

  test('the first page has one sentence with the ratio of each mode', () => {
    assert.equal(
      shardAnswer(benchmarkOf()),
      'One process copied a Redis Cluster at 0.50 (redis-shake-sync) times the speed of one process per shard (1 mode, one round).',
    );
    assert.equal(shardAnswer(benchmarkOf({ seconds: 2, behindSeconds: null })), null);
  });

  test('a copy that never finished is not compared', () => {
    const benchmark = benchmarkOf({ seconds: 2, behindSeconds: null });
    assert.match(shardFindings(benchmark)[0].text, /never finished/);
  });

  test('the table and the chart show both', () => {
    const benchmark = benchmarkOf();
    const cells = (/** @type {string} */ title) => {
      const column = shards.table?.find((one) => one.title === title);
      return benchmark.cases.map((result) => column?.cell(result));
    };
    assert.deepEqual(cells('movers'), ['one for each shard', 'one for all shards']);
    assert.deepEqual(cells('to one for each'), ['', '0.50']);
    // A chart of one mode compares nothing.
    assert.deepEqual(shards.charts?.(benchmark, /** @type {any} */ ({})), [null]);
  });
});
