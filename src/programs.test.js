import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outputOf } from './programs.js';

test('a wrapper that hangs ends together with its child', async () => {
  // The child holds the standard output: the promise settles only once both have ended.
  const began = performance.now();
  await assert.rejects(outputOf(['sh', '-c', 'sleep 30; :'], { timeoutMs: 100 }), /ended with status null/);
  assert.ok(performance.now() - began < 10_000);
  assert.equal(await outputOf(['sh', '-c', 'echo ok'], { timeoutMs: 10_000 }), 'ok\n');
});
