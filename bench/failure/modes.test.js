import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPossible, modeTitle, TRIAL_MODES } from './modes.js';

/** @import { CaseParams } from '../../src/result/schema.js' */

test('WAITAOF needs Redis 7.2, or Valkey', () => {
  const waitaofPossible = (/** @type {string} */ name, /** @type {string} */ version) =>
    isPossible('waitaof', { name, version });
  assert.deepEqual(
    [
      waitaofPossible('redis', '7.0.15'),
      waitaofPossible('redis', '6.2.0'),
      waitaofPossible('redis', '7.2.0'),
      waitaofPossible('redis', '8.0.1'),
    ],
    [false, false, true, true],
  );
  assert.ok(waitaofPossible('valkey', '8.0.1'));
});

test('every server knows the other modes', () => {
  for (const mode of /** @type {(keyof typeof TRIAL_MODES)[]} */ (Object.keys(TRIAL_MODES))) {
    if (!mode.startsWith('waitaof')) assert.ok(isPossible(mode, { name: 'redis', version: '6.2.0' }), mode);
  }
});

test('each mode sets how many replicas a write needs, whatever the stack had before', () => {
  for (const [name, { settings }] of Object.entries(TRIAL_MODES)) assert.ok('min-replicas-to-write' in settings, name);
});

/** @type {[Partial<CaseParams>, string][]} */
const TITLES_OF = [
  [{}, 'async'],
  [{ settings: { 'min-replicas-to-write': '0' } }, 'async'],
  [{ settings: { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '10' } }, 'min-replicas 1'],
  [{ settings: { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '1' } }, 'min-replicas 1 (lag 1)'],
  [{ wait: 2, settings: {} }, 'WAIT 2'],
  [{ wait: 1, settings: { 'min-replicas-to-write': '1' } }, 'WAIT 1 + min-replicas 1'],
  [{ settings: { appendonly: 'yes', appendfsync: 'always' } }, 'AOF always'],
  [{ settings: { appendonly: 'no', appendfsync: 'everysec' } }, 'async'],
  [{ wait: 1, waitLocal: 1, settings: { appendonly: 'yes', appendfsync: 'everysec' } }, 'WAITAOF 1 1 + AOF everysec'],
  [{ settings: { save: '3600 1' } }, 'RDB'],
  [{ settings: { save: '', appendonly: 'no' } }, 'async'],
  [{ settings: { save: '' }, replicaSettings: { save: '1 1' } }, 'RDB on replicas only'],
  [{ settings: { save: '2 1' }, replicaSettings: { save: '1 1' } }, 'RDB on every node'],
  [{ settings: { save: '3600 1', appendonly: 'yes', appendfsync: 'always' } }, 'AOF always'],
  [{ wait: 1, mode: 'wait1-min1' }, 'wait1-min1'],
];

for (const [params, title] of TITLES_OF) {
  test(`${JSON.stringify(params)} has the title ${title}`, () =>
    assert.equal(modeTitle({ wait: 0, ...params }), title));
}
