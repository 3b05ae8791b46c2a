import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subjectOf } from './sentinel-events.js';

/** @import { NodeInfo } from '../types.js' */

/** @type {NodeInfo[]} */
const nodes = [7001, 7002].map((port, index) => ({
  id: `redis-${index + 1}`,
  kind: 'redis',
  address: { host: '127.0.0.1', port: port - 1000 },
  announced: { host: '127.0.0.1', port },
}));

test('an event is about the node whose announced address it names', () => {
  assert.equal(subjectOf('+sdown', 'master mymaster 127.0.0.1 7001', nodes), 'redis-1');
  assert.equal(subjectOf('+slave', 'slave 127.0.0.1:7002 127.0.0.1 7002 @ mymaster 127.0.0.1 7001', nodes), 'redis-2');
});

test('+switch-master is about the new primary', () => {
  assert.equal(subjectOf('+switch-master', 'mymaster 127.0.0.1 7001 127.0.0.1 7002', nodes), 'redis-2');
});

test('an event may be about an unknown node, or about none', () => {
  assert.equal(
    subjectOf('+sdown', 'slave 10.0.0.9:6379 10.0.0.9 6379 @ mymaster 127.0.0.1 7001', nodes),
    '10.0.0.9:6379',
  );
  assert.equal(subjectOf('+new-epoch', '7', nodes), '');
});
