import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../errors.js';
import { refusedSetting, settingLines } from './start-settings.js';

test('settings become lines that servers of all versions read', () => {
  assert.deepEqual(
    settingLines({
      databases: '4',
      save: '3600 1 300 100',
      'client-output-buffer-limit': 'normal 0 0 0 replica 256mb 64mb 60',
      appendfilename: '',
      bind: '127.0.0.1 ::1',
    }),
    [
      'databases 4',
      'save ""',
      'save 3600 1',
      'save 300 100',
      'client-output-buffer-limit normal 0 0 0',
      'client-output-buffer-limit replica 256mb 64mb 60',
      'appendfilename ""',
      'bind 127.0.0.1 ::1',
    ],
  );
  assert.deepEqual(settingLines({ save: '' }), ['save ""']);
  assert.deepEqual(settingLines({ save: '""' }), ['save ""']);
  assert.deepEqual(settingLines(undefined), []);
});

test('nothing in a value or a name begins another line', () => {
  assert.deepEqual(settingLines({ 'proc-title-template': 'a\nport 1' }), ['proc-title-template "a\\x0aport 1"']);
  assert.deepEqual(settingLines({ requirepass: '$(id)"\\é' }), ['requirepass "$(id)\\x22\\x5c\\xc3\\xa9"']);
  assert.throws(() => settingLines({ 'a b': '1' }), UserError);
  assert.throws(() => settingLines({ 'a\nport': '1' }), UserError);
});

test('what a server says of a setting is told by name, and only of those that were asked for', () => {
  const log = ['*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***', ">>> 'nonsense 1'", 'Bad directive or wrong number'];
  assert.match(refusedSetting(log, { nonsense: '1' })?.message ?? '', /has no setting called nonsense\.$/);
  assert.equal(refusedSetting(log, { databases: '1' }), null);
  assert.equal(refusedSetting(log, undefined), null);
  assert.equal(refusedSetting(['Out of memory'], { nonsense: '1' }), null);
  const value = [">>> 'databases x'", 'argument couldn’t be parsed'];
  assert.match(refusedSetting(value, { databases: 'x' })?.message ?? '', /does not take “x” for the setting databases/);
});
