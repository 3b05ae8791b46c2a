/**
 * Claims of the article about AOF on network storage.
 *
 * @import { ArticleClaim, Conditions } from '../../src/report/articles.js'
 */

export const title = 'Redis + AOF + Distributed Storage: A Cautionary Benchmark';

/** @type {Conditions} */
const LOCAL = {
  tool: 'redis-benchmark, 50,000 requests',
  payload: '180,000 B',
  connections: '20 clients',
  storage: 'local SAS SSD',
  version: 'Redis 7',
};
/** @type {Conditions} */
const NETWORK = { ...LOCAL, storage: 'Longhorn 1.6' };
/** @type {Conditions} */
const BOTH = { ...LOCAL, storage: 'local SAS SSD and Longhorn 1.6' };

/** @satisfies {Record<string, ArticleClaim>} */
export const claims = {
  'aof.local-throughput': {
    claim: 'AOF on a local disk costs a factor of 6 in SET throughput',
    figure: '7,696 to 1,275 SETs a second',
    conditions: LOCAL,
  },
  'aof.local-mean': {
    claim: 'AOF on a local disk makes the mean latency of SET ten times as long',
    figure: '1.47 to 14.39 ms, 9.8×',
    conditions: LOCAL,
  },
  'aof.local-p99-factor': {
    claim: 'AOF on a local disk makes p99 of SET twenty times as long',
    figure: '5.12 to 102.53 ms, 20×',
    conditions: LOCAL,
  },
  'aof.local-p99': {
    claim: 'With AOF on a local disk p99 of SET stays above 100 ms, however it is tuned',
    figure: '102.5 to 121.2 ms in 4 configurations',
    conditions: LOCAL,
  },
  'aof.off-p99': {
    claim: 'Without AOF p99 of SET stays at about 5 ms (taken as at most 5.12 ms)',
    figure: '3.8 to 5.1 ms',
    conditions: LOCAL,
  },
  'aof.tuning': {
    claim: 'Tuning AOF does not change SET throughput',
    figure: '1,275, 1,251 and 1,248 SETs a second, 2% less',
    conditions: { ...LOCAL, tool: 'redis-benchmark; appendfsync, no-appendfsync-on-rewrite, RDB thresholds' },
  },
  'aof.local-data': {
    claim: 'A large data set hardly changes SET throughput with AOF on a local disk',
    figure: '1,248 SETs a second, empty; 1,212 with 375,795 keys',
    conditions: LOCAL,
  },
  'aof.gap': {
    claim: 'AOF on network storage is 14 times slower than no AOF on a local disk',
    figure: '7,696 against 537 SETs a second, 14.3×',
    conditions: { ...BOTH, tool: 'redis-benchmark, 50,000 requests, one run, 375,795 keys on Longhorn' },
  },
  'aof.gap-p99': {
    claim: 'AOF on network storage has 39 times the p99 of no AOF on a local disk',
    figure: '5.12 against 201.86 ms, 39×',
    conditions: { ...BOTH, tool: 'redis-benchmark, 50,000 requests, one run, 375,795 keys on Longhorn' },
  },
  'aof.network-half': {
    claim: 'With AOF on, network storage takes half as many SETs as a local disk, or fewer',
    figure: '1,275 SETs a second on the local disk, 577 on Longhorn',
    conditions: BOTH,
  },
  'aof.warning': {
    claim: 'Redis’s warning about storage with network latency, such as NFS, is right for AOF',
    figure: '1,275 SETs a second on the local disk, 577 on Longhorn (taken as a tenth slower or more)',
    conditions: BOTH,
  },
  'aof.network-p99': {
    claim: 'With AOF on network storage p99 of SET reaches 202 ms (taken as 200 ms or more)',
    figure: '225.66 ms, empty; 201.86 ms with 375,795 keys',
    conditions: NETWORK,
  },
  'aof.network-max': {
    claim: 'With AOF on network storage single SETs take almost a second (taken as 0.5 s or more)',
    figure: '903 ms at most',
    conditions: NETWORK,
  },
  'aof.network-data': {
    claim: 'A large data set costs 7% of SET throughput with AOF on network storage',
    figure: '577 to 537 SETs a second',
    conditions: NETWORK,
  },
  'aof.get-local': {
    claim: 'AOF on a local disk costs GET two thirds of its throughput',
    figure: '8,027 to 2,537 GETs a second, 68%',
    conditions: LOCAL,
  },
  'aof.get-less': {
    claim: 'AOF affects GET much less than SET',
    figure: 'GET to 32%, SET to 17% of the throughput without AOF',
    conditions: LOCAL,
  },
  'aof.get-network': {
    claim: 'With AOF on, network storage hardly affects GET',
    figure: '2,537 GETs a second on the local disk, 2,522 on Longhorn',
    conditions: BOTH,
  },
  'aof.get-mean': {
    claim: 'AOF on a local disk makes the mean latency of GET three times as long',
    figure: '1.47 to 4.29 ms, 2.9×',
    conditions: LOCAL,
  },
  'aof.get-mean-network': {
    claim: 'With AOF on, network storage hardly affects the mean latency of GET',
    figure: '4.29 ms on the local disk, 4.21 ms on Longhorn, 0.98×',
    conditions: BOTH,
  },
  'aof.ping-mean': {
    claim: 'AOF on a local disk makes the mean latency of PING three to five times as long',
    figure: '0.32 to 0.84–1.50 ms, 2.6× to 4.7×',
    conditions: LOCAL,
  },
  'aof.ping-mean-network': {
    claim: 'The mean latency of PING is shorter with AOF on network storage than on a local disk',
    figure: '0.74–0.83 ms on Longhorn, 0.84–1.50 ms on the local disk',
    conditions: BOTH,
  },
  'aof.ping-local': {
    claim: 'AOF on a local disk costs PING half of its throughput or more',
    figure: '~37,000 to 11,000–18,000 PINGs a second',
    conditions: LOCAL,
  },
  'aof.ping-network': {
    claim: 'PING is faster with AOF on network storage than with AOF on a local disk',
    figure: '19,000–21,000 against 11,000–18,000 PINGs a second',
    conditions: BOTH,
  },
  'aof.fsync-stall': {
    claim: 'Stalls of fsync cause the latency with everysec (taken as writes behind a running fsync)',
    figure: '',
    conditions: LOCAL,
  },
  'aof.every-set-waits': {
    claim: 'With everysec every SET waits for the network storage (taken as no faster than always)',
    figure: '',
    conditions: NETWORK,
  },
  'aof.split': {
    claim: 'A primary without AOF and a replica that saves keep full SET throughput',
    figure: 'more than 7,600 SETs a second, against 7,696 alone',
    conditions: { ...BOTH, tool: 'a recommendation; the figure is that of the primary alone' },
  },
  'aof.split-p99': {
    claim: 'A primary without AOF and a replica that saves keep p99 of SET below 5 ms',
    figure: 'sub-5 ms',
    conditions: { ...BOTH, tool: 'a recommendation; the figure is that of the primary alone' },
  },
  'aof.split-loss': {
    claim: 'With RDB and without AOF on both nodes, a failed primary loses at most one snapshot interval',
    figure: 'primary: such as save 3600 1; replica: not stated',
    conditions: { ...BOTH, fault: 'the primary fails; how is not stated', tool: 'a recommendation, not tested' },
  },
};
