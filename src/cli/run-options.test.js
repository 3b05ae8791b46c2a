import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { UserError } from '../errors.js';
import {
  checkUndoable,
  collectAllowed,
  collectCommands,
  collectSettings,
  lanesFor,
  parseLatency,
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

test('--link-latency takes a time, or 0', () => {
  assert.equal(parseLatency('1ms'), 1);
  assert.equal(parseLatency('0'), 0);
  assert.throws(() => parseLatency('far'), InvalidArgumentError);
});

test('--allow takes what a run can do to an existing deployment by itself, once', () => {
  assert.deepEqual(collectAllowed('failover', collectAllowed('failover')), ['failover']);
  for (const text of ['kill', '', 'failover,kill'])
    assert.throws(() => collectAllowed(text), InvalidArgumentError, text);
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

test('--trials: a whole number from 1 to 10000', () => {
  assert.deepEqual(['1', '30', '10k'].map(parseTrials), [1, 30, 10_000]);
  for (const text of ['0', '-1', '1.5', '10001', 'many', ''])
    assert.throws(() => parseTrials(text), InvalidArgumentError, text);
});

test('two trials a core run side by side, at most sixteen', () => {
  assert.deepEqual([0.3, 0.8, 1, 2, 4, 64].map(lanesFor), [1, 1, 2, 4, 8, 16]);
});
