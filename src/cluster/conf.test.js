import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillIn, sentinelConf } from './conf.js';
import { NODES } from './topology.js';

/** @param {string} id */
const announced = (id) => ({ host: `${id}.example`, port: 7000 + NODES.findIndex((node) => node.id === id) });

test('a Sentinel is told of itself, the primary, its replicas and the other Sentinels', () => {
  const lines = sentinelConf('sentinel-2', { dir: '/somewhere', announced }).split('\n');
  for (const line of [
    'port 7004',
    'dir /somewhere',
    'sentinel announce-ip sentinel-2.example',
    'sentinel monitor mymaster redis-1.example 7000 2',
    `sentinel myid ${'5e17b1e2'.repeat(5)}`,
    'sentinel known-replica mymaster redis-2.example 7001',
    'sentinel known-replica mymaster redis-3.example 7002',
    `sentinel known-sentinel mymaster sentinel-1.example 7003 ${'5e17b1e1'.repeat(5)}`,
    `sentinel known-sentinel mymaster sentinel-3.example 7005 ${'5e17b1e3'.repeat(5)}`,
  ]) {
    assert.ok(lines.includes(line), line);
  }
});

test('a name that nobody fills in is an error', () => {
  assert.equal(fillIn('a @ONE@ b', { ONE: 1 }), 'a 1 b');
  assert.throws(() => fillIn('a @ONE@ @TWO@', { ONE: 1 }), /@TWO@/);
});
