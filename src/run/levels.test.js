import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPossible, LEVELS } from './levels.js';

test('WAITAOF needs Redis 7.2, or Valkey', () => {
  const known = (/** @type {string} */ name, /** @type {string} */ version) => isPossible('waitaof', { name, version });
  assert.deepEqual(
    [known('redis', '7.0.15'), known('redis', '6.2.0'), known('redis', '7.2.0'), known('redis', '8.0.1')],
    [false, false, true, true],
  );
  assert.ok(known('valkey', '8.0.1'));
});

test('every server knows the others', () => {
  for (const level of /** @type {(keyof typeof LEVELS)[]} */ (Object.keys(LEVELS))) {
    if (!level.startsWith('waitaof')) assert.ok(isPossible(level, { name: 'redis', version: '6.2.0' }), level);
  }
});

test('each level says for itself how many replicas a write needs: what a stack had before does not matter', () => {
  for (const [name, { settings }] of Object.entries(LEVELS)) assert.ok('min-replicas-to-write' in settings, name);
});
