import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureCases } from './failure-case.js';
import { PROFILES } from './profiles.js';

const OPTIONS = { profile: PROFILES.quick, server: { name: 'redis', version: '7.0.15' } };
const idsOf = (/** @type {import('./types.js').Case[]} */ cases) => cases.map(({ id }) => id);

describe('cases of a failure benchmark', () => {
  test('both of our own writers, then each library for itself', () => {
    const cases = failureCases(OPTIONS, { levels: ['async', 'wait1'], libraries: ['wait1'] });
    assert.deepEqual(idsOf(cases), ['async', 'wait1', 'wait1-redis', 'wait1-ioredis']);
    assert.deepEqual(
      cases.map(({ params }) => params.writers),
      [['stays', 'follows'], ['stays', 'follows'], ['redis'], ['ioredis']],
    );
  });

  test('a level that the server does not know is left out', () => {
    const levels = /** @type {const} */ (['async', 'waitaof']);
    assert.deepEqual(idsOf(failureCases(OPTIONS, { levels })), ['async']);
    const server = { name: 'valkey', version: '8.0.1' };
    const [, waitaof] = failureCases({ ...OPTIONS, server }, { levels });
    assert.deepEqual([waitaof.params.wait, waitaof.params.waitLocal], [1, 1]);
    assert.equal(waitaof.params.settings?.appendonly, 'yes');
  });

  test('the larger profiles measure every usual level, where that is asked for', () => {
    const options = { ...OPTIONS, profile: PROFILES.standard };
    const wanted = { levels: /** @type {const} */ (['async', 'aof']), everyLevel: true };
    assert.deepEqual(idsOf(failureCases(OPTIONS, wanted)), ['async', 'aof']);
    assert.deepEqual(idsOf(failureCases(options, wanted)), ['async', 'aof', 'min1', 'wait1', 'wait2', 'wait1-min1']);
    assert.deepEqual(idsOf(failureCases(options, { levels: ['async'] })), ['async']);
  });

  test('only the client that was asked for', () => {
    const wanted = { levels: /** @type {const} */ (['async']), libraries: /** @type {const} */ (['async']) };
    assert.deepEqual(idsOf(failureCases({ ...OPTIONS, client: 'native' }, wanted)), ['async']);
    assert.deepEqual(idsOf(failureCases({ ...OPTIONS, client: 'redis' }, wanted)), ['async-redis']);
    assert.deepEqual(failureCases({ ...OPTIONS, client: 'redis' }, { levels: ['async'] }), []);
  });

  test('a variant has a name of its own, and settings beside the level’s', () => {
    const [one] = failureCases(OPTIONS, { levels: ['async'], variant: 'snapshot', settings: { save: '3600 1' } });
    assert.equal(one.id, 'async-snapshot');
    assert.deepEqual(one.params.settings, { 'min-replicas-to-write': '0', save: '3600 1' });
  });
});
