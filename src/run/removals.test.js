import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInfo } from '../resp/info.js';
import { sampleRemovals, sampleRoom } from '../stacks/redis/usage.js';
import { removedIn, whyEvicts, whyRemoved } from './removals.js';

/** @param {string} text as the server sends it */
const says = (text) => ({ info: async () => parseInfo(text) });

const INFO = `# Server\r
run_id:8d0d2a0e5b1c\r
# Stats\r
expired_keys:12\r
evicted_keys:29131\r
# Commandstats\r
cmdstat_flushall:calls=2,usec=91,usec_per_call=45.50,rejected_calls=0,failed_calls=0\r
cmdstat_flushdb:calls=1,usec=8,usec_per_call=8.00,rejected_calls=0,failed_calls=0\r
cmdstat_set:calls=66197,usec=91234,usec_per_call=1.38,rejected_calls=0,failed_calls=0\r
# Keyspace\r
db0:keys=900,expires=3,avg_ttl=5000\r
db2:keys=9,expires=4,avg_ttl=100,subexpiry=0\r
`;
const MEMORY = '# Memory\r\nused_memory:3500000\r\nmaxmemory:3584000\r\nmaxmemory_policy:allkeys-lru\r\n';

const START = { id: 'redis-1', runId: 'a', evicted: 5, expired: 7, flushes: 1, expiring: 0 };

test('a node says what it has removed by itself, and how many keys have a TTL', async () => {
  assert.deepEqual(await sampleRemovals(says(INFO)), {
    runId: '8d0d2a0e5b1c',
    evicted: 29_131,
    expired: 12,
    flushes: 3,
    expiring: 7,
  });
  const idle = await sampleRemovals(says('run_id:a\r\nexpired_keys:0\r\n'));
  assert.deepEqual(idle, { runId: 'a', evicted: null, expired: 0, flushes: 0, expiring: 0 });
});

test('what nodes removed is counted from process to process', () => {
  const other = { ...START, id: 'redis-2', evicted: 0, expiring: 2 };
  const samples = [
    START,
    other,
    { ...START, evicted: 9 },
    // Restarted: it counts from 0.
    { ...START, runId: 'b', evicted: 3, expired: 0, flushes: 0 },
    // CONFIG RESETSTAT.
    { ...other, evicted: 0, expired: 2, flushes: 0 },
  ];
  assert.deepEqual(removedIn(samples), { evicted: 7, expired: 2, flushes: 0, hadExpiring: true });
  assert.equal(removedIn([START, { ...START, evicted: null }]).evicted, null, 'unknown is not 0');
});

test('a trial in which nodes removed keys by themselves is void, and says what to do', () => {
  const none = { evicted: 0, expired: 0, flushes: 0, hadExpiring: false };
  assert.equal(whyRemoved(undefined), null);
  assert.equal(whyRemoved(none), null);
  assert.match(whyRemoved({ ...none, evicted: 29_131 }) ?? '', /evicted 29,131 keys .* Raise maxmemory/);
  assert.match(whyRemoved({ ...none, flushes: 1 }) ?? '', /FLUSHALL/);
  assert.match(whyRemoved({ ...none, expired: 2 }) ?? '', /2 keys expired/);
  assert.equal(whyRemoved({ ...none, expired: 2, hadExpiring: true }), null, 'keys of an application expire');
});

test('a deployment that would evict keys to make room is refused, with the number of keys for which there is room', async () => {
  const tight = await sampleRoom(says(MEMORY));
  const wanted = { keys: 1000, payloadBytes: 64 };
  assert.match(
    whyEvicts([tight], wanted) ?? '',
    /maxmemory 3 MiB, allkeys-lru\) and has room for 318 keys; this writes up to 1,000 keys/,
  );
  assert.equal(whyEvicts([tight], { ...wanted, keys: 300 }), null, 'there is room');
  assert.equal(whyEvicts([{ ...tight, maxBytes: 0 }], wanted), null, 'no limit');
  assert.equal(whyEvicts([{ ...tight, policy: 'noeviction' }], wanted), null, 'it refuses instead');
});
