import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readySnapshot } from '../fixture.js';
import { whyNotReady } from './readiness.js';

/** @import { Snapshot } from './observe.js' */

const elsewhere = { host: '127.0.0.1', port: 6380 };

test('a healthy stack is ready', () => {
  assert.deepEqual(whyNotReady(readySnapshot()), []);
});

/** @type {[string, (snapshot: Snapshot) => void, RegExp][]} */
const FLAWS = [
  [
    'a Sentinel does not answer',
    (s) => {
      s.sentinels[1].error = 'refused';
    },
    /^sentinel-2 does not answer: refused$/,
  ],
  [
    'a Sentinel names another',
    (s) => {
      s.sentinels[2].primary = elsewhere;
    },
    /^sentinel-3 names 127\.0\.0\.1:6380/,
  ],
  [
    'a Sentinel names none',
    (s) => {
      s.sentinels[2].primary = null;
    },
    /^sentinel-3 names no one/,
  ],
  [
    'the primary is flagged as down',
    (s) => {
      s.sentinels[0].flags.push('s_down');
    },
    /^sentinel-1 flags the primary as s_down/,
  ],
  [
    'no quorum',
    (s) => {
      s.sentinels[0].quorum = { ok: false, text: 'NOQUORUM' };
    },
    /^sentinel-1 has no quorum: NOQUORUM/,
  ],
  [
    'a Sentinel is in TILT',
    (s) => {
      s.sentinels[0].tilt = true;
    },
    /^sentinel-1 is in TILT/,
  ],
  [
    'a Sentinel is not known',
    (s) => {
      s.sentinels[0].otherSentinels = 1;
    },
    /^sentinel-1 knows 1 of 2 other Sentinels/,
  ],
  [
    'a replica is not known',
    (s) => {
      s.sentinels[0].replicas.pop();
    },
    /^sentinel-1 does not know redis-3/,
  ],
  [
    'a replica is flagged as down',
    (s) => {
      s.sentinels[0].replicas[0].flags.push('s_down');
    },
    /^sentinel-1 flags redis-2 as slave, s_down/,
  ],
  [
    'a replica has not been heard from',
    (s) => {
      s.sentinels[0].replicas[0].heard = false;
    },
    /^sentinel-1 has not heard from redis-2 yet/,
  ],
  [
    'a node does not answer',
    (s) => {
      s.redis[1].error = 'timed out';
    },
    /^redis-2 does not answer: timed out/,
  ],
  [
    'the primary says otherwise',
    (s) => {
      s.redis[0].role = 'replica';
    },
    /^redis-1 should be the primary/,
  ],
  [
    'two primaries',
    (s) => {
      s.redis[2].role = 'primary';
    },
    /^redis-3 says it is a primary too/,
  ],
  [
    'a replica follows a replica',
    (s) => {
      s.redis[2].follows = elsewhere;
    },
    /^redis-3 does not follow redis-1/,
  ],
  [
    'a link is down',
    (s) => {
      s.redis[1].linkUp = false;
    },
    /^redis-2's link to redis-1 is down/,
  ],
  [
    'a replica is not online',
    (s) => {
      s.redis[1].online = false;
    },
    /^redis-1 does not have redis-2 online/,
  ],
  [
    'a replica is behind',
    (s) => {
      s.redis[1].lagBytes = 17;
    },
    /^redis-2 is 17 bytes behind redis-1/,
  ],
  [
    'the primary has not counted its replicas again, and refuses writes',
    (s) => {
      s.redis[0].goodReplicas = 1;
    },
    /^redis-1 counts 1 of its 2 replicas towards min-replicas-to-write/,
  ],
];

for (const [name, spoil, reason] of FLAWS) {
  test(`not ready: ${name}`, () => {
    const snapshot = readySnapshot();
    spoil(snapshot);
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
