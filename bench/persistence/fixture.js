/** For tests only: a result of the persistence benchmark with the figures of a machine with a slow disk. */

import { NO_COUNTERS, roundOf } from '../../src/report/fixture.js';
import { summarise } from '../../src/stats/summary.js';
import { persistenceCase } from './modes.js';

/**
 * @import { BenchmarkResult, CaseResult, NodeCounters, RoundResult, StorageInfo } from '../../src/result/schema.js'
 * @import { Where } from './modes.js'
 */

/** Speed of each round; the third is the quickest. */
const WAVERING = [1, 0.97, 1.03];

/** Bytes that a write sends to a replica that keeps up. */
const SENT_BYTES = 180_100;

/** Counters of a node with AOF; tests add their own. */
export const WITH_AOF = Object.freeze({ delayedFsyncs: 0, aofBytes: 1e9 });

/**
 * @param {string} mode
 * @param {Partial<Where>} where default: SET of 180,000 B on `tmp`, of the primary alone
 * @param {Object} measured
 * @param {number} measured.writes answered a round
 * @param {number} measured.medianNs of their latency
 * @param {Partial<NodeCounters>} [measured.counters] of the primary
 * @param {Partial<NodeCounters>} [measured.replica] its counters, when there is one
 * @param {Partial<RoundResult>} [measured.round]
 * @returns {CaseResult} without its ratio to the baseline
 */
export function persisted(mode, where, { writes, medianNs, counters, replica, round }) {
  const { id, params } = persistenceCase(mode, { payloadBytes: 180_000, storage: 'tmp', ...where });
  const rounds = WAVERING.map((factor, index) =>
    roundOf({
      writes: Math.round(writes * factor),
      medianNs,
      seed: index + 1,
      nodes: [
        {
          id: 'redis-1',
          role: 'primary',
          cpu: 0.5,
          mainThreadCpu: 0.48,
          memoryBytes: 1e8,
          counters: { ...NO_COUNTERS, ...(replica && { replicationOutBytes: writes * SENT_BYTES }), ...counters },
        },
        ...(replica
          ? [
              {
                id: 'redis-2',
                role: /** @type {const} */ ('replica'),
                cpu: 0.2,
                mainThreadCpu: 0.2,
                memoryBytes: 1e8,
                counters: { ...NO_COUNTERS, ...replica },
              },
            ]
          : []),
      ],
      ...(params.operation === 'get' && { reads: { answered: writes, misses: 0, failed: 0 } }),
      ...(params.during && { duringShare: 0.9 }),
      ...round,
    }),
  );
  return { id, params, rounds, summary: summarise(rounds, null, { seed: 1 }) };
}

/** @param {CaseResult[]} cases @returns {BenchmarkResult} */
export function persistenceOf(cases) {
  return {
    name: 'persistence',
    question: 'What does keeping data on disk cost, with large values?',
    status: 'ok',
    pace: { rounds: 3, seconds: 1.1, warmUpSeconds: 0.1 },
    cases,
    findings: [],
    checks: [],
  };
}

/** A local disk on which AOF costs much, an emulated one on which it costs more, and a split. @returns {BenchmarkResult} */
export function persistenceResult() {
  const get = /** @type {const} */ ({ operation: 'get' });
  const pair = { replicas: 1 };
  const slow = { storage: 'slow' };
  const event = { events: { 'aof-write': { latestMs: 20, maxMs: 103 } } };
  return persistenceOf([
    persisted('off', {}, { writes: 3000, medianNs: 1.2e6 }),
    persisted('everysec', {}, { writes: 600, medianNs: 14e6, counters: { ...WITH_AOF, ...event, delayedFsyncs: 2 } }),
    persisted('always', {}, { writes: 400, medianNs: 20e6, counters: WITH_AOF }),
    persisted(
      'everysec-rewrite',
      {},
      { writes: 350, medianNs: 25e6, counters: { ...WITH_AOF, rewrites: 1, latestForkUs: 840 } },
    ),
    persisted('off', get, { writes: 3500, medianNs: 1.1e6 }),
    persisted('everysec', get, { writes: 3480, medianNs: 1.1e6, counters: WITH_AOF }),
    persisted('off', { ...pair }, { writes: 1500, medianNs: 2.4e6, replica: {} }),
    persisted('everysec', { ...pair }, { writes: 300, medianNs: 28e6, counters: WITH_AOF, replica: WITH_AOF }),
    persisted(
      'split',
      { ...pair },
      { writes: 1200, medianNs: 3e6, counters: { replicationOutBytes: 1e8 }, replica: WITH_AOF },
    ),
    persisted('off', slow, { writes: 3000, medianNs: 1.2e6 }),
    persisted('everysec', slow, { writes: 90, medianNs: 60e6, counters: WITH_AOF }),
    persisted('off', { ...slow, ...get }, { writes: 3500, medianNs: 1.1e6 }),
    persisted('everysec', { ...slow, ...get }, { writes: 3490, medianNs: 1.1e6, counters: WITH_AOF }),
  ]);
}

/** @param {Partial<StorageInfo>} more @returns {StorageInfo} */
function storageInfo(more) {
  const fsyncNs = { min: 4e5, p50: 8e5, p90: 1e6, p95: 1.1e6, p99: 4e6, p999: 5e6, max: 6e6, mean: 9e5, samples: 200 };
  return {
    label: 'tmp',
    emulated: false,
    how: 'the directory for temporary files',
    filesystem: 'ext4',
    freeBytes: 8e10,
    fsyncNs,
    ...more,
  };
}

/** What {@link persistenceResult} names. @returns {StorageInfo[]} */
export function storageInfos() {
  return [
    storageInfo({}),
    storageInfo({ label: 'slow', emulated: true, how: 'a loop mount over nbdkit’s delay filter' }),
  ];
}
