/**
 * Claims of RedisShake's page about its architecture and speed.
 *
 * @import { ArticleClaim, Conditions } from '../../src/report/articles.js'
 */

export const title = 'Architecture and Performance Description';

/** @type {Conditions} */
const ONE = {
  tool: 'RedisShake, one process for both clusters',
  storage: '12 shards of 1 GB, 32 cores',
  payload: '8 B',
};
/** @type {Conditions} */
const TWELVE = { ...ONE, tool: 'RedisShake, one process a shard' };
/** @type {Conditions} */
const BOTH = { ...ONE, tool: 'RedisShake, one process against one a shard' };
/** @type {Conditions} */
const WRITTEN = { ...ONE, connections: 'redis-benchmark, 16 threads, 256 clients, pipeline depth 2' };
/** @type {Conditions} */
const SCANNED = { ...ONE, tool: 'RedisShake, one process; COUNT 10' };

/** @satisfies {Record<string, ArticleClaim>} */
export const claims = {
  'copy.sync-aof': {
    claim: 'Sync with the stream of writes keeps pace with the heaviest writing',
    figure: '1,520 k of 1,599 k writes/s, 95%',
    conditions: WRITTEN,
  },
  'copy.scan-ksn': {
    claim: 'SCAN with keyspace notifications keeps pace with the heaviest writing',
    figure: '1,081 k of 1,084 k writes/s, 99.7%',
    conditions: WRITTEN,
  },
  'copy.ksn-cost': {
    claim: 'Keyspace notifications and their reader cost the source a third of its write rate',
    figure: '1,599 k to 1,084 k writes/s, 32%',
    conditions: WRITTEN,
  },
  'copy.sync-against-scan': {
    claim: 'A full sync moves about twice as many keys a second as SCAN',
    figure: '1,498 k against 665 k keys/s, 2.3×',
    conditions: SCANNED,
  },
  'copy.sync-against-scan-shard': {
    claim: 'With a process for each shard, a full sync moves almost four times as many keys as SCAN',
    figure: '220 k against 58 k keys/s a process, 3.8×',
    conditions: { ...TWELVE, tool: 'RedisShake, one process a shard; COUNT 10' },
  },
  'copy.scan-network': {
    claim: 'SCAN needs more network for each key than a full sync',
    figure: '5.9×: 435 Mb/s sent at 1,498 k keys/s, 1,130 Mb/s at 665 k',
    conditions: SCANNED,
  },
  'copy.scan-cpu': {
    claim: 'SCAN needs more CPU for each key than a full sync',
    figure: '1.8×: 16.1 cores at 1,498 k keys/s, 13.0 at 665 k',
    conditions: SCANNED,
  },
  'copy.ksn-network': {
    claim: 'SCAN with notifications needs twice as much network for each write as sync with the stream',
    figure: '2.2×: 1,340 Mb/s sent at 1,520 k writes/s, 2,100 Mb/s at 1,081 k',
    conditions: WRITTEN,
  },
  'copy.ksn-cpu': {
    claim: 'SCAN with notifications needs twice as much CPU for each write as sync with the stream',
    figure: '2.1×: 12.8 cores at 1,520 k writes/s, 19.1 at 1,081 k',
    conditions: WRITTEN,
  },
  'copy.cluster-sync-aof': {
    claim: 'One process copies a stream of writes as fast as one process a shard',
    figure: '1,520 k against 1,560 k writes/s, 0.97',
    conditions: BOTH,
  },
  'copy.cluster-sync-rdb': {
    claim: 'One process does a full sync at little more than half the speed of one process a shard',
    figure: '1,498 k against 2,640 k keys/s, 0.57',
    conditions: BOTH,
  },
  'copy.cluster-scan-ksn': {
    claim: 'One process follows keyspace notifications as fast as one process a shard',
    figure: '1,081 k against 1,140 k writes/s, 0.95',
    conditions: BOTH,
  },
  'copy.cluster-scan': {
    claim: 'One process scans as fast as one process a shard',
    figure: '665 k against 696 k keys/s, 0.95',
    conditions: BOTH,
  },
  'copy.sync-aof-disk': {
    claim: 'Of all modes only the stream of writes needs the disk',
    figure: '156 MB/s; the others 0.11 to 0.17 MB/s',
    conditions: ONE,
  },
  'copy.bench-cores': {
    claim: 'redis-benchmark writes 1,500,000 times a second with 16 cores',
    figure: '~1,500 k writes/s',
    conditions: { ...WRITTEN, tool: 'redis-benchmark on 16 of 32 cores' },
  },
};
