import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { parseSlo } from './slo.js';

test('--slo takes a percentile and a time', () => {
  assert.deepEqual(parseSlo('p99.9 < 2ms'), { percentile: 'p999', ns: 2e6, text: 'p99.9<2ms' });
  for (const text of ['', 'p99', 'p98<2ms', 'p99<', 'p99>2ms']) {
    assert.throws(() => parseSlo(text), InvalidArgumentError, text);
  }
});
