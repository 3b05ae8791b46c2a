import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { UserError } from '../errors.js';
import {
  checkCores,
  checkUndoable,
  collectCommands,
  collectCores,
  collectDataDirs,
  collectSettings,
  lanesFor,
  parseLatency,
  parsePreloadKeys,
  parseSlo,
  parseSlowVolume,
  parseTrials,
} from './run-options.js';

describe('--set', () => {
  test('collects settings in small letters; the last value of a setting counts', () => {
    assert.deepEqual(collectSettings('save='), { save: '' });
    assert.deepEqual(collectSettings('innodb_io_capacity=300'), { innodb_io_capacity: '300' });
    assert.deepEqual(collectSettings('HZ=50', { hz: '20', save: '60 1' }), { hz: '50', save: '60 1' });
  });

  test('refuses settings that control access or that the run sets itself', () => {
    for (const text of [
      'hz',
      '=1',
      'h z=1',
      'hz=1\ndir /',
      'requirepass=x',
      'primaryauth=x',
      'User=a on >x',
      'Dir=/tmp',
      'daemonize=yes',
      'replicaof=a 1',
    ]) {
      assert.throws(() => collectSettings(text), InvalidArgumentError, text);
    }
  });
});

test('--data-dir: each label is used once, and paths become absolute', () => {
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

test('--slow-volume takes whole milliseconds, or 0', () => {
  assert.equal(parseSlowVolume('5ms'), 5);
  assert.equal(parseSlowVolume('2.4ms'), 2);
  assert.equal(parseSlowVolume('0'), 0);
  for (const text of ['', '-1ms', '0ms', '0.5ms', '2s', 'x']) {
    assert.throws(() => parseSlowVolume(text), InvalidArgumentError, text);
  }
});

test('--link-latency takes a time, or 0', () => {
  assert.equal(parseLatency('1ms'), 1);
  assert.equal(parseLatency('0'), 0);
  assert.throws(() => parseLatency('far'), InvalidArgumentError);
});

test('--preload-keys takes a positive whole number', () => {
  assert.equal(parsePreloadKeys('20k'), 20_000);
  for (const text of ['', '0', '1.5', 'x']) assert.throws(() => parsePreloadKeys(text), InvalidArgumentError, text);
});

test('--slo takes a percentile and a time', () => {
  assert.deepEqual(parseSlo('p99.9 < 2ms'), { percentile: 'p999', ns: 2e6, text: 'p99.9<2ms' });
  for (const text of ['', 'p99', 'p98<2ms', 'p99<', 'p99>2ms']) {
    assert.throws(() => parseSlo(text), InvalidArgumentError, text);
  }
});

test('--act: an action needs a command for the action that undoes it', () => {
  const pause = collectCommands('pause=a');
  assert.deepEqual(collectCommands('resume=b=c', pause), { pause: 'a', resume: 'b=c' });
  for (const text of ['pause', 'pause=', 'pause= ', 'sleep=a']) {
    assert.throws(() => collectCommands(text), InvalidArgumentError, text);
  }
  checkUndoable(undefined);
  checkUndoable({ pause: 'a', resume: 'b' });
  assert.throws(() => checkUndoable(pause), UserError);
});

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

test('--trials: a whole number from 1 to 10000', () => {
  assert.deepEqual(['1', '30', '10k'].map(parseTrials), [1, 30, 10_000]);
  for (const text of ['0', '-1', '1.5', '10001', 'many', ''])
    assert.throws(() => parseTrials(text), InvalidArgumentError, text);
});

test('two trials a core run side by side, at most sixteen', () => {
  assert.deepEqual([1, 2, 4, 64].map(lanesFor), [2, 4, 8, 16]);
});
