import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROFILES } from '../../src/run/profiles.js';
import { shardCases } from './modes.js';

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
