import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeCase } from './case.js';

describe('makeCase', () => {
  test('each parameter that changes what is measured changes the id', () => {
    const waiting = { wait: 1 };
    const ids = [
      {},
      waiting,
      { wait: 2 },
      { ...waiting, waitMode: /** @type {const} */ ('sequential') },
      { ...waiting, waitTimeoutMs: 50 },
      { client: /** @type {const} */ ('ioredis') },
      { payloadBytes: 1024 },
      { pipeline: 10 },
      { connections: 50 },
      { backgroundConnections: 4 },
      { waitLocal: /** @type {const} */ (1) },
      { ...waiting, waitLocal: /** @type {const} */ (1) },
      { mode: 'min1' },
      { mode: 'min1-lag1' },
      { operation: /** @type {const} */ ('get') },
      { operation: /** @type {const} */ ('get'), readFrom: /** @type {const} */ ('replicas') },
      { during: /** @type {const} */ ('rewrite') },
      { replicas: 0 },
      { replicas: 1 },
      { storage: 'tmp' },
      { storage: 'slow' },
      { preloadKeys: 0 },
      { preloadKeys: 2000 },
    ].map((params) => makeCase(params).id);
    assert.equal(new Set(ids).size, ids.length, ids.join(' '));
    for (const id of ids) assert.match(id, /^[A-Za-z0-9._-]+$/);
    assert.equal(makeCase(waiting).id, 'native-batch1-conn1-64B-wait1', 'as in earlier results');
  });

  test('the baseline may lack what the case sets', () => {
    const settled = { mode: 'off', storage: 'tmp' };
    const { baseline } = makeCase(
      { ...settled, mode: 'always', during: 'rewrite' },
      { mode: 'off', during: undefined },
    );
    assert.equal(baseline, makeCase(settled).id);
  });

  test('the baseline differs only in the given parameters, and has no baseline itself', () => {
    assert.equal(makeCase({ wait: 1, pipeline: 10 }, { wait: 0 }).baseline, makeCase({ pipeline: 10 }).id);
    assert.equal('baseline' in makeCase({ pipeline: 10 }, { wait: 0 }), false);
    assert.equal('baseline' in makeCase({ wait: 1 }), false);
  });
});
