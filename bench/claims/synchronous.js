/**
 * Claims of the article about synchronous replication with WAIT and min-replicas-to-write.
 *
 * @import { ArticleClaim, Conditions } from '../../src/report/articles.js'
 */

export const title = 'Synchronous Replication in Redis: Theory, Implementation, and Benchmarks';

/** The text states neither the size of the values, nor the number of connections, nor how a pipeline was sent. @type {Conditions} */
const NODE_REDIS = {
  tool: 'node-redis, WAIT after each write',
  storage: '3 nodes and 3 Sentinels on local Docker',
};
/** @type {Conditions} */
const PIPELINED = { ...NODE_REDIS, tool: 'node-redis, a pipeline, then one WAIT' };
/** @type {Conditions} */
const MANY = { ...NODE_REDIS, tool: 'node-redis; with or without WAIT is not stated', connections: '1 to 100 clients' };
/** @type {Conditions} */
const MINIMUM_ONE = { tool: 'node-redis, min-replicas-to-write 1, max-lag 10 s', storage: 'local Docker' };
/** @type {Conditions} */
const PAUSED = { ...MINIMUM_ONE, fault: 'both replicas paused; the duration is not stated' };
/** @type {Conditions} */
const RESTARTED = { ...MINIMUM_ONE, fault: 'one replica stopped and started' };

/** @satisfies {Record<string, ArticleClaim>} */
export const claims = {
  'synchronous.wait1-cost': {
    claim: 'WAIT 1 after each write costs about half of the throughput',
    figure: '35,170 to 16,265 ops/s, a cost of 54%',
    conditions: NODE_REDIS,
  },
  'synchronous.wait2-cost': {
    claim: 'WAIT 2 after each write costs about half of the throughput',
    figure: '35,170 to 15,876 ops/s, a cost of 55%',
    conditions: NODE_REDIS,
  },
  'synchronous.second-replica': {
    claim: 'WAIT for a second replica costs hardly more than WAIT for one',
    figure: '16,265 to 15,876 ops/s, 2.4% less',
    conditions: NODE_REDIS,
  },
  'synchronous.wait1-p50': {
    claim: 'WAIT 1 doubles the median latency',
    figure: '0.025 to 0.055 ms, 2.2×',
    conditions: NODE_REDIS,
  },
  'synchronous.wait1-p99': {
    claim: 'WAIT 1 raises p99 by half',
    figure: '0.079 to 0.123 ms, 1.6×',
    conditions: NODE_REDIS,
  },
  'synchronous.wait1-p999': {
    claim: 'WAIT 1 raises p99.9 by a third',
    figure: '0.256 to 0.333 ms, 1.3×',
    conditions: NODE_REDIS,
  },
  'synchronous.wait2-p50': {
    claim: 'WAIT 2 doubles the median latency',
    figure: '0.025 to 0.056 ms, 2.2×',
    conditions: NODE_REDIS,
  },
  'synchronous.wait2-p99': {
    claim: 'WAIT 2 raises p99 by half',
    figure: '0.079 to 0.124 ms, 1.6×',
    conditions: NODE_REDIS,
  },
  'synchronous.wait2-p999': {
    claim: 'WAIT 2 raises p99.9 by an eighth',
    figure: '0.256 to 0.286 ms, 1.1×',
    conditions: NODE_REDIS,
  },
  'synchronous.pipeline1-wait1': {
    claim: 'At pipeline depth 1, WAIT 1 costs 45% of throughput',
    figure: '25,182 to 13,781 ops/s',
    conditions: PIPELINED,
  },
  'synchronous.pipeline1-wait2': {
    claim: 'At pipeline depth 1, WAIT 2 costs 39% of throughput',
    figure: '25,182 to 15,443 ops/s, less than with WAIT 1',
    conditions: PIPELINED,
  },
  'synchronous.pipeline10-wait1': {
    claim: 'At pipeline depth 10, WAIT 1 costs 39% of throughput',
    figure: '198,535 to 121,412 ops/s',
    conditions: PIPELINED,
  },
  'synchronous.pipeline10-wait2': {
    claim: 'At pipeline depth 10, WAIT 2 costs 39% of throughput',
    figure: '198,535 to 121,640 ops/s',
    conditions: PIPELINED,
  },
  'synchronous.pipeline50-wait1': {
    claim: 'At pipeline depth 50, WAIT 1 costs 17% of throughput',
    figure: '401,598 to 332,869 ops/s',
    conditions: PIPELINED,
  },
  'synchronous.pipeline50-wait2': {
    claim: 'At pipeline depth 50, WAIT 2 costs 23% of throughput',
    figure: '401,598 to 310,168 ops/s',
    conditions: PIPELINED,
  },
  'synchronous.pipeline100-wait1': {
    claim: 'At pipeline depth 100, WAIT 1 costs only 17% of throughput',
    figure: '474,328 to 392,149 ops/s',
    conditions: PIPELINED,
  },
  'synchronous.pipeline100-wait2': {
    claim: 'At pipeline depth 100, WAIT 2 costs 20% of throughput',
    figure: '474,328 to 380,334 ops/s',
    conditions: PIPELINED,
  },
  'synchronous.pipeline-gain': {
    claim: 'One WAIT for 100 pipelined writes gives 28 times the throughput of one WAIT a write',
    figure: '13,781 to 392,149 ops/s',
    conditions: PIPELINED,
  },
  'synchronous.392k': {
    claim: '392,000 writes a second are possible with WAIT 1',
    figure: '392,149 ops/s at pipeline depth 100',
    conditions: PIPELINED,
  },
  'synchronous.ten-clients': {
    claim: '10 clients write three times as much as one',
    figure: '36,098 to 118,016 ops/s, 3.3×',
    conditions: MANY,
  },
  'synchronous.fifty-clients': {
    claim: '50 clients write four times as much as one',
    figure: '36,098 to 156,508 ops/s, 4.3×',
    conditions: MANY,
  },
  'synchronous.plateau': {
    claim: 'Throughput plateaus at about 50 connections',
    figure: '156,508 ops/s with 50 clients, 156,204 with 100',
    conditions: MANY,
  },
  'synchronous.ten-p50': {
    claim: 'With 10 clients the median is almost three times that of one',
    figure: '0.024 to 0.067 ms, 2.8×',
    conditions: MANY,
  },
  'synchronous.ten-p99': {
    claim: 'With 10 clients p99 is more than four times that of one',
    figure: '0.053 to 0.233 ms, 4.4×',
    conditions: MANY,
  },
  'synchronous.fifty-p50': {
    claim: 'With 50 clients the median is thirteen times that of one',
    figure: '0.024 to 0.319 ms, 13×',
    conditions: MANY,
  },
  'synchronous.fifty-p99': {
    claim: 'With 50 clients p99 is ten times that of one',
    figure: '0.053 to 0.520 ms, 9.8×',
    conditions: MANY,
  },
  'synchronous.hundred-p50': {
    claim: 'From 50 to 100 clients the median grows by half',
    figure: '0.319 to 0.500 ms, 1.6×',
    conditions: MANY,
  },
  'synchronous.hundred-p99': {
    claim: 'From 50 to 100 clients p99 doubles',
    figure: '0.520 to 1.166 ms, 2.2×',
    conditions: MANY,
  },
  'synchronous.optimal-connections': {
    claim: '10 to 50 connections are enough for the highest throughput',
    figure: '118,016 ops/s with 10 clients, 156,508 with 50',
    conditions: MANY,
  },
  'synchronous.reads-immediate': {
    claim: 'Reads from replicas see an acknowledged write at once',
    figure: '100% immediately consistent, 0% needed WAIT',
    conditions: {
      tool: 'node-redis; how it wrote is not stated',
      storage: 'local Docker',
      connections: 'no other load stated',
    },
  },
  'synchronous.reads-failed': {
    claim: 'No read from a replica stays stale',
    figure: '0% failed',
    conditions: { tool: 'node-redis', storage: 'local Docker' },
  },
  'synchronous.no-rollback': {
    claim: 'While the primary stays primary, it keeps a write that no replica confirmed',
    figure: '',
    conditions: { fault: 'replicas that do not confirm; stated, not tested' },
  },
  'synchronous.wait-blocks': {
    claim: 'WAIT blocks until the replicas have confirmed',
    figure: '',
    conditions: { tool: 'no timeout stated', storage: 'local Docker' },
  },
  'synchronous.paused-accepted': {
    claim: 'While both replicas are paused, about four fifths of the writes succeed',
    figure: '81.19% succeeded, 120 failed with NOREPLICAS',
    conditions: PAUSED,
  },
  'synchronous.paused-rejects': {
    claim: 'Writes are rejected once no replica has acknowledged within max-lag',
    figure: '120 rejected; max-lag 10 s (taken as 8 to 12 s after the pause)',
    conditions: PAUSED,
  },
  'synchronous.paused-recovers': {
    claim: 'Writes are accepted again by themselves once the replicas are back',
    figure: '',
    conditions: PAUSED,
  },
  'synchronous.paused-no-loss': {
    claim: 'Rejecting writes while both replicas are paused prevents data loss',
    figure: '',
    conditions: PAUSED,
  },
  'synchronous.restart-accepted': {
    claim: 'Every write succeeds while one replica is stopped and started',
    figure: '100%',
    conditions: RESTARTED,
  },
  'synchronous.restart-count': {
    claim: 'The primary sees two replicas, then one, then two again',
    figure: '2 → 1 → 2',
    conditions: RESTARTED,
  },
  'synchronous.restart-no-loss': {
    claim: 'No write is lost when one replica is stopped and started',
    figure: 'all writes preserved',
    conditions: RESTARTED,
  },
  'synchronous.stop-no-loss': {
    claim: 'Controlled failovers lose no data',
    figure: 'zero data loss, which “you can achieve” with “the pipeline + WAIT pattern”',
    conditions: { ...MINIMUM_ONE, fault: 'how is not stated, not tested' },
  },
  'synchronous.automatic-failover': {
    claim: 'Sentinels fail over by themselves',
    figure: '',
    conditions: { storage: '3 nodes and 3 Sentinels', fault: 'the primary fails; described, not tested' },
  },
  'synchronous.split-brain': {
    claim: 'min-replicas-to-write protects against split brain',
    figure: '',
    conditions: { ...MINIMUM_ONE, fault: 'split brain, not tested' },
  },
  'synchronous.lag-warns': {
    claim: 'Replica lag shows replication problems before writes are rejected (taken as above 2 s)',
    figure: '',
    conditions: MINIMUM_ONE,
  },
  'synchronous.max-lag': {
    claim: 'min-replicas-max-lag 10 bounds what a separated primary loses to about 10 s (taken as 12 s)',
    figure: '“a reasonable default”, “replica must ACK within 10 seconds”',
    conditions: { ...MINIMUM_ONE, fault: 'how is not stated, not tested' },
  },
  'synchronous.wait-zero': {
    claim: 'WAIT with timeout 0 blocks for as long as no replica confirms',
    figure: '“blocks until N replicas acknowledge”',
    conditions: { fault: 'not tested' },
  },
  'synchronous.together-cost': {
    claim: 'min-replicas 1, WAIT 1 and a pipeline of 100 together cost 17% of throughput',
    figure: '474,328 to 392,149 ops/s, both with min-replicas 1',
    conditions: PIPELINED,
  },
  'synchronous.together-loss': {
    claim: 'min-replicas 1 and WAIT 1 together are durable (taken as: no acknowledged write is lost)',
    figure: '“strong durability guarantees”',
    conditions: { ...MINIMUM_ONE, fault: 'not tested' },
  },
};
