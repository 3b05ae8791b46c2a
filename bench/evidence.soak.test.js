import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FILE } from './evidence.js';

test('what check quotes is in the published runs', () => {
  const script = new URL('../perf/evidence.js', import.meta.url).pathname;
  assert.equal(execFileSync(process.execPath, [script, '--print'], { encoding: 'utf8' }), readFileSync(FILE, 'utf8'));
});
