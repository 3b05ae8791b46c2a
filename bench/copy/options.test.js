import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { checkCores, collectCores, withCores } from './options.js';

test('--cores: every part of a copy has CPUs, or none', () => {
  const sources = collectCores('sources=0-3,8');
  assert.deepEqual(collectCores('copies=4', sources), { sources: '0-3,8', copies: '4' });
  for (const text of ['', '0', 'sources', 'sources=', 'sources=a', 'sources=1-', 'nodes=1']) {
    assert.throws(() => collectCores(text), InvalidArgumentError, text);
  }
  checkCores(undefined);
  checkCores({ sources: '0', copies: '0', movers: '1', writers: '1' });
  assert.throws(() => checkCores(sources), /--cores names no CPUs for copies, movers, writers/);
});

test('cases have the CPUs that the user asked for', () => {
  const one = /** @type {any} */ ({ id: 'a', params: { pairs: 1 } });
  assert.deepEqual(withCores([one]), [one]);
  assert.deepEqual(withCores([one], { cores: { movers: '1' } })[0].params, { cores: { movers: '1' }, pairs: 1 });
});
