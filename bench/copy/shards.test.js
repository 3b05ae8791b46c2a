import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PROFILES } from '../../src/run/profiles.js';
import { copyCaseOf, copyOf } from './fixture.js';
import { shardCases } from './modes.js';
import shards from './shards.js';

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
