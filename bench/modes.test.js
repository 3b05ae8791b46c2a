import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPossible, MODES, modesFor, modeTitle } from './modes.js';

/** @import { CaseParams } from '../src/result/schema.js' */

test('WAITAOF needs Redis 7.2, or Valkey', () => {
  const isKnown = (/** @type {string} */ name, /** @type {string} */ version) =>
    isPossible('waitaof', { name, version });
  assert.deepEqual(
    ['7.0.15', '6.2.0', '7.2.0', '8.0.1'].map((version) => isKnown('redis', version)),
    [false, false, true, true],
  );
  assert.ok(isKnown('valkey', '8.0.1') && isPossible('wait1', { name: 'redis', version: '6.2.0' }));
});

test('each mode sets how many replicas a write needs, whatever the stack had before', () => {
  for (const [name, { settings }] of Object.entries(MODES)) assert.ok('min-replicas-to-write' in settings, name);
});

/** @type {[Partial<CaseParams>, string][]} */
const TITLES_OF = [
  [{}, 'async'],
  [{ settings: { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '1' } }, 'min-replicas 1 (lag 1)'],
  [{ wait: 1, settings: { 'min-replicas-to-write': '1' } }, 'WAIT 1 + min-replicas 1'],
  [{ settings: { appendonly: 'no', appendfsync: 'everysec' } }, 'async'],
  [{ wait: 1, waitLocal: 1, settings: { appendonly: 'yes', appendfsync: 'everysec' } }, 'WAITAOF 1 1 + AOF everysec'],
  [{ settings: { save: '3600 1' } }, 'RDB'],
  [{ settings: { save: '' }, replicaSettings: { save: '1 1' } }, 'RDB on replicas only'],
  [{ settings: { save: '2 1' }, replicaSettings: { save: '1 1' } }, 'RDB on every node'],
  [{ settings: { save: '3600 1', appendonly: 'yes', appendfsync: 'always' } }, 'AOF always'],
  [{ wait: 1, mode: 'wait1-min1' }, 'wait1-min1'],
  [{ mode: 'defaults', settings: MODES.defaults.settings }, 'defaults (RDB)'],
  // Of an earlier result.
  [{ mode: 'rdb', settings: MODES.defaults.settings }, 'RDB'],
];

test('titles say what a mode asks for and sets', () => {
  for (const [params, title] of TITLES_OF) assert.equal(modeTitle({ wait: 0, ...params }), title);
});

describe('modes follow the number of replicas', () => {
  const server = { name: 'valkey', version: '9.0.0' };
  const all = /** @type {(keyof typeof MODES)[]} */ (Object.keys(MODES)).filter(
    (name) => !['replica-rdb', 'split-rdb', 'wait1-forever'].includes(name) && MODES[name].wait <= 2,
  );
  const namesWith = (/** @type {number} */ replicas) => modesFor(all, { server, replicas }).map(({ name }) => name);

  test('with two every mode is itself, once', () => {
    assert.deepEqual(namesWith(2), all);
    assert.deepEqual(
      modesFor([...all, 'wait2'], { server }).map(({ mode }) => mode),
      all.map((name) => MODES[name]),
    );
  });

  test('with four WAIT 2 is WAIT 4, in settings and title too', () => {
    const names = namesWith(4);
    for (const name of ['wait1', 'min2', 'wait4', 'wait4-aof', 'wait4-min4-aof-always', 'waitaof-all'])
      assert.ok(names.includes(name), name);
    const found = modesFor(['wait2-min2-aof-always', 'waitaof-all', 'wait2-aof'], { server, replicas: 4 });
    assert.deepEqual(
      found.map(({ mode }) => modeTitle(/** @type {CaseParams} */ (mode))),
      ['WAIT 4 + min-replicas 4 + AOF always', 'WAITAOF 1 4 + AOF always', 'WAIT 4 + AOF everysec'],
    );
    for (const { name, mode } of found) assert.equal(mode.wait, 4, name);
    assert.ok(modesFor(all, { server, replicas: 4 }).every(({ mode: { wait } }) => [0, 1, 4].includes(wait)));
  });

  test('with one nothing asks for two, and no mode comes twice', () => {
    const found = modesFor(all, { server, replicas: 1 });
    const names = found.map(({ name }) => name);
    assert.ok(found.every(({ mode: { wait, settings } }) => wait <= 1 && settings['min-replicas-to-write'] !== '2'));
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.includes('wait1-aof') && !names.includes('waitaof-all') && !names.includes('min2'));
  });
});

test('settings that a deployment has itself are in the title, apart from those of the mode', () => {
  const titleOf = (/** @type {keyof typeof MODES} */ name, /** @type {Record<string, string>} */ ownSettings) =>
    modeTitle(/** @type {CaseParams} */ ({ ...MODES[name], ownSettings }));
  const aof = { appendonly: 'yes', appendfsync: 'everysec' };
  assert.equal(titleOf('async', aof), 'async (AOF everysec of the deployment)');
  assert.equal(titleOf('min1-lag1', { save: '3600 1' }), 'min-replicas 1 (lag 1; RDB of the deployment)');
  assert.equal(titleOf('aof', { save: '3600 1' }), 'AOF everysec', 'a snapshot is not loaded beside it');
  const limit = { maxmemory: String(2 ** 30), 'maxmemory-policy': 'noeviction' };
  assert.equal(
    titleOf('wait1', { ...aof, ...limit }),
    'WAIT 1 (AOF everysec + maxmemory 1024 MiB noeviction of the deployment)',
  );
});
