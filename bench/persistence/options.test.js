import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { PROFILES } from '../../src/run/profiles.js';
import { ARTICLE_KEYS } from './modes.js';
import { collectDataDirs, parsePreloadKeys, parseSlowVolume } from './options.js';
import persistence from './persistence.js';

test('--data-dir: each label is used once, and paths become absolute', () => {
  const first = collectDataDirs('ssd=/mnt/ssd');
  assert.deepEqual(collectDataDirs('nfs-4=a=b c', first), [
    { label: 'ssd', path: '/mnt/ssd' },
    { label: 'nfs-4', path: resolve('a=b c') },
  ]);
  assert.throws(() => collectDataDirs('ssd=/other', first), InvalidArgumentError);
  for (const text of ['ssd', '=/mnt', 'ssd=', 'SSD=/mnt', `${'x'.repeat(21)}=/mnt`, 'tmp=/a', 'slow=/a'])
    assert.throws(() => collectDataDirs(text), InvalidArgumentError, text);
});

test('--slow-volume takes whole milliseconds, or 0', () => {
  assert.equal(parseSlowVolume('5ms'), 5);
  assert.equal(parseSlowVolume('2.4ms'), 2);
  assert.equal(parseSlowVolume('0'), 0);
  for (const text of ['', '-1ms', '0ms', '0.5ms', '2s', 'x']) {
    assert.throws(() => parseSlowVolume(text), InvalidArgumentError, text);
  }
});

test('--preload-keys takes a positive whole number', () => {
  assert.equal(parsePreloadKeys('20k'), 20_000);
  for (const text of ['', '0', '1.5', 'x']) assert.throws(() => parsePreloadKeys(text), InvalidArgumentError, text);
});

test('the user’s number of keys takes precedence over the profile’s, on each storage', () => {
  const storages = ['tmp', 'slow'].map((label) => ({ label, emulated: false }));
  const server = { name: 'redis', version: '7.4.0' };
  const loaded = (/** @type {object} */ parameters) =>
    new Set(
      persistence
        .cases({ profile: PROFILES.standard, storages, server, parameters })
        .map(({ params }) => params.preloadKeys),
    );
  const { preloadKeys } = PROFILES.standard;
  assert.deepEqual([...loaded({})].sort(), [undefined, ARTICLE_KEYS, preloadKeys].sort());
  assert.deepEqual([...loaded({ preloadKeys: 7000 })].sort(), [undefined, ARTICLE_KEYS, 7000].sort());
});
