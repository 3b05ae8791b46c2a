import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readySnapshot } from '../fixture.js';
import { whyNotReady } from './readiness.js';

const elsewhere = { host: '127.0.0.1', port: 6380 };

test('a healthy stack is ready', () => {
  assert.deepEqual(whyNotReady(readySnapshot()), []);
});

/** What is set in the snapshot, where, and the one reason. @type {[string, unknown, RegExp][]} */
const FLAWS = [
  ['sentinels.1.error', 'refused', /^sentinel-2 does not answer: refused$/],
  ['sentinels.2.primary', elsewhere, /^sentinel-3 names 127\.0\.0\.1:6380/],
  ['sentinels.2.primary', null, /^sentinel-3 names no one/],
  ['sentinels.0.flags.1', 's_down', /^sentinel-1 flags the primary as s_down/],
  ['sentinels.0.quorum', { ok: false, text: 'NOQUORUM' }, /^sentinel-1 has no quorum: NOQUORUM/],
  ['sentinels.0.tilt', true, /^sentinel-1 is in TILT/],
  ['sentinels.0.otherSentinels', 1, /^sentinel-1 knows 1 of 2 other Sentinels/],
  ['sentinels.0.replicas.length', 1, /^sentinel-1 does not know redis-3/],
  ['sentinels.0.replicas.0.flags.1', 's_down', /^sentinel-1 flags redis-2 as slave, s_down/],
  ['sentinels.0.replicas.0.heard', false, /^sentinel-1 has not heard from redis-2 yet/],
  ['redis.1.error', 'timed out', /^redis-2 does not answer: timed out/],
  ['redis.0.role', 'replica', /^redis-1 should be the primary/],
  ['redis.2.role', 'primary', /^redis-3 says it is a primary too/],
  ['redis.2.follows', elsewhere, /^redis-3 does not follow redis-1/],
  ['redis.1.linkUp', false, /^redis-2's link to redis-1 is down/],
  ['redis.1.online', false, /^redis-1 does not have redis-2 online/],
  ['redis.1.lagBytes', 17, /^redis-2 is 17 bytes behind redis-1/],
  // It has not counted them again, and refuses writes.
  ['redis.0.goodReplicas', 1, /^redis-1 counts 1 of its 2 replicas towards min-replicas-to-write/],
];

for (const [place, value, reason] of FLAWS) {
  test(`not ready: ${place} is ${JSON.stringify(value)}`, () => {
    const snapshot = readySnapshot();
    const names = place.split('.');
    const field = String(names.pop());
    const owner = names.reduce((/** @type {any} */ each, name) => each[name], snapshot);
    owner[field] = value;
    const reasons = whyNotReady(snapshot);
    assert.equal(reasons.length, 1);
    assert.match(reasons[0], reason);
  });
}

test('not ready: no majority names a known node', () => {
  const snapshot = { ...readySnapshot(), primary: null };
  snapshot.sentinels[0].error = 'refused';
  assert.deepEqual(whyNotReady(snapshot), [
    'most Sentinels do not agree on a primary among the nodes',
    'sentinel-1 does not answer: refused',
  ]);
});
