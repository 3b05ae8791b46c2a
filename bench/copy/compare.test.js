/** Which difference in expiry counts, on servers that report the millisecond and on those that only count down. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, bulk, info, serve } from '../../src/hostile-fixture.js';
import { compareNodes } from './compare.js';

/** @import { TestContext } from 'node:test' */

const HALF_AN_HOUR_MS = 30 * 60 * 1000;
/** With its footer. */
const DUMPED = 'the same value, and ten bytes';

/** @param {TestContext} t @param {string} version @param {number} expires milliseconds, as PEXPIRETIME or PTTL says */
function nodeOf(t, version, expires) {
  return serve(t, ([command]) => {
    if (command === 'INFO') return info({ redis_version: version });
    if (command === 'SCAN') return array([bulk('0'), array([bulk('key')])]);
    if (command === 'DUMP') return bulk(DUMPED);
    if (command === 'PTTL') return version.startsWith('6') ? `:${expires}\r\n` : '-ERR asked for what differs\r\n';
    if (command === 'PEXPIRETIME') return version.startsWith('6') ? '-ERR unknown command\r\n' : `:${expires}\r\n`;
    return '+OK\r\n';
  });
}

/** @param {TestContext} t @param {string} version @param {number} apart milliseconds */
async function differencesOf(t, version, apart) {
  const [source, copy] = await Promise.all([nodeOf(t, version, 5e6), nodeOf(t, version, 5e6 + apart)]);
  const { keys, ttl, ttlMostMs } = await compareNodes(source, copy);
  assert.equal(keys, 1);
  return { ttl, ttlMostMs };
}

test('servers that report the millisecond: one is a difference', async (t) => {
  assert.deepEqual(await differencesOf(t, '7.0.15', 0), { ttl: 0, ttlMostMs: 0 });
  assert.deepEqual(await differencesOf(t, '7.0.15', 1), { ttl: 1, ttlMostMs: 1 });
});

test('servers that count down: two seconds pass between two questions, half an hour does not', async (t) => {
  assert.deepEqual(await differencesOf(t, '6.2.14', 1500), { ttl: 0, ttlMostMs: 0 });
  assert.deepEqual(await differencesOf(t, '6.2.14', 2500), { ttl: 1, ttlMostMs: 2500 });
  assert.deepEqual(await differencesOf(t, '6.2.14', -HALF_AN_HOUR_MS), { ttl: 1, ttlMostMs: HALF_AN_HOUR_MS });
});
