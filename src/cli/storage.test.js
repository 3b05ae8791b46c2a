import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import pipeline from '../../bench/main/pipeline.js';
import persistence from '../../bench/persistence/persistence.js';
import { ExitStatus, UserError } from '../errors.js';
import { checkHeeded, collectDataDirs, parsePreloadKeys, parseSlowVolume } from './storage.js';

test('storage classes have a label of their own and an absolute path', () => {
  const first = collectDataDirs('ssd=/mnt/ssd');
  assert.deepEqual(collectDataDirs('nfs-4=a=b c', first), [
    { label: 'ssd', path: '/mnt/ssd' },
    { label: 'nfs-4', path: resolve('a=b c') },
  ]);
  assert.throws(() => collectDataDirs('ssd=/other', first), InvalidArgumentError);
  for (const text of [
    '',
    'ssd',
    '=/mnt',
    'ssd=',
    'SSD=/mnt',
    'a b=/mnt',
    `${'x'.repeat(21)}=/mnt`,
    'tmp=/a',
    'slow=/a',
  ]) {
    assert.throws(() => collectDataDirs(text), InvalidArgumentError, text);
  }
});

test('the emulated volume’s time', () => {
  assert.equal(parseSlowVolume('5ms'), 5);
  assert.equal(parseSlowVolume('2.4ms'), 2);
  assert.equal(parseSlowVolume('0'), 0);
  for (const text of ['', '-1ms', '0ms', '0.5ms', '2s', 'x']) {
    assert.throws(() => parseSlowVolume(text), InvalidArgumentError, text);
  }
});

test('keys of a data set', () => {
  assert.equal(parsePreloadKeys('20k'), 20_000);
  for (const text of ['', '0', '1.5', 'x']) assert.throws(() => parsePreloadKeys(text), InvalidArgumentError, text);
});

test('an option that no benchmark of the run heeds is refused', () => {
  const dataDir = [{ label: 'ssd', path: '/mnt/ssd' }];
  checkHeeded({ dataDir, preloadKeys: 1 }, [pipeline, persistence]);
  checkHeeded({ slowVolume: 5 }, [pipeline]);
  for (const [options, named] of /** @type {const} */ ([
    [{ dataDir }, /^--data-dir /],
    [{ preloadKeys: 1 }, /^--preload-keys /],
  ])) {
    assert.throws(
      () => checkHeeded(options, [pipeline]),
      (error) => error instanceof UserError && named.test(error.message) && error.exitStatus === ExitStatus.badInput,
    );
  }
});
