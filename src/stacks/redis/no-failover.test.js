import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainNoFailover } from './no-failover.js';

test('what kept Sentinels from a failover is named: their words, priorities, refusals of this trial', () => {
  const events = ['sentinel-1', 'sentinel-2'].map((by) => ({
    at: 1,
    by,
    kind: /** @type {const} */ ('no-replica-chosen'),
  }));
  const refusals = [
    { what: 'multi', secondsAgo: 2 },
    { what: 'slaveof', secondsAgo: 2 },
    { what: 'flushall', secondsAgo: 2 },
    { what: 'exec', secondsAgo: 900 },
  ];
  const answers = [
    { id: 'redis-1', role: 'master', priority: '0', refusals: [] },
    { id: 'redis-2', role: 'slave', priority: '0', refusals },
    { id: 'redis-3', role: 'slave', priority: '100', refusals: [] },
  ];
  assert.deepEqual(explainNoFailover(events, answers, 60), [
    'sentinel-1, sentinel-2 said -failover-abort-no-good-slave.',
    'No Sentinel may promote redis-2: replica-priority 0.',
    'The ACL of redis-2 refused what Sentinels send: multi, slaveof.',
  ]);
  assert.deepEqual(explainNoFailover([], [], 60), []);
});
