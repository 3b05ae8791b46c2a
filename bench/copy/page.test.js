import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMED_FIGURES, resultOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { tablesIn } from '../../test/figures/shown.js';
import { copied, copyCaseOf, copyOf } from './fixture.js';
import suite from './index.js';

/** @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js' */

/** @param {CaseResult[]} cases @param {BenchmarkResult[]} [more] */
function rendered(cases, more = []) {
  const benchmarks = [{ ...copyOf(), cases }, ...more];
  const page = renderFrontPage({ ...resultOf(), benchmarks }, [suite], NAMED_FIGURES);
  assert.doesNotMatch(page, /undefined|NaN|\[object|Infinity|null/);
  return page;
}

test('the fastest full sync and SCAN are compared; what SCAN missed is counted', () => {
  const page = rendered(copyOf().cases);
  assert.match(page, /^- Fill a new node by full sync \(`REPLICAOF`\): 200,000 keys\/s, 4\.00× as fast/m);
  assert.match(page, /left 1,500 of 110,000 keys different under writes\. .* left none of 200,000 different\.$/m);
});

test('keys with collections have a row of their own, in a full copy', () => {
  const [sync] = copyOf().cases;
  const params = { copyMode: 'sync-rdb-collections', collections: true };
  const page = rendered([sync, copyCaseOf(params, { seconds: 0.25 }, { baseline: sync })]);
  const [ways] = tablesIn(page).map(({ rows }) => rows);
  assert.deepEqual(
    ways.map(([mode]) => mode),
    ['sync-rdb', 'sync-rdb-collections'],
  );
});

test('an unfinished copy is in no comparison', () => {
  const [sync, , scan] = copyOf().cases;
  const broken = copyCaseOf(
    { copyMode: 'redis-shake-scan', mover: 'redis-shake-scan' },
    { seconds: 0.1, behindSeconds: null },
  );
  const page = rendered([sync, broken]);
  assert.doesNotMatch(page, /^- Fill a new node by/m);
  assert.match(page, /never finished/);
  assert.match(rendered([sync, scan]), /^- Fill a new node by/m);
});

test('the page has both tables of the article, and a run without a case has a page', () => {
  const shake = { copyMode: 'redis-shake-sync', mover: 'redis-shake-sync' };
  const each = { ...copyCaseOf({ ...shake, movers: 3 }, { seconds: 1 }), id: 'each' };
  const one = { ...copyCaseOf({ ...shake, movers: 1 }, { seconds: 2 }, { baseline: each }), id: 'one' };
  const comparison = { ...copied().comparison, ttl: 7, ttlMostMs: 40 };
  const page = rendered(
    [copyCaseOf(shake, { comparison })],
    [{ ...copyOf(), name: 'copy-shards', cases: [each, one] }],
  );
  const [ways, rates, use] = tablesIn(page).map(({ rows }) => rows);
  assert.deepEqual(ways[0].slice(-2), ['7', '40.0 ms']);
  assert.deepEqual(rates, [['sync + rdb', '1,498 → 50', '2,640 → 100', '0.57 → 0.50']]);
  assert.equal(use[0][1], '16.1 → 0.80');
  assert.match(rendered([]), /^Nothing was measured\.$/m);
});
