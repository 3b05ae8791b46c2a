import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuresOf } from '../../src/report/claims/index.js';
import { allBenchmarks } from '../index.js';
import { articles } from './index.js';

const claims = articles().flatMap((article) => article.claims);

test('each claim has an id of its own, one sentence, and benchmarks that exist', () => {
  assert.equal(new Set(claims.map(({ id }) => id)).size, claims.length);
  for (const { id, claim, ...rest } of claims) {
    assert.match(claim, /^\S.{10,110}[^.]$/, id);
    for (const { where } of measuresOf({ id, claim, ...rest }))
      assert.ok(allBenchmarks.has(String(where.experiment)), `${id}: ${where.experiment}`);
  }
});
