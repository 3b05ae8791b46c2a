/** For tests only: a result of the persistence benchmark with figures that add up. */

import { NO_COUNTERS, roundOf } from '../../src/report/fixture.js';
import { summarise } from '../../src/stats/summary.js';
import { persistenceCase } from './modes.js';

/**
 * @import { BenchmarkResult, CaseResult, RoundResult } from '../types.js'
 * @import { NodeCounters, StorageInfo } from '../../src/result/schema.js'
 * @import { Where } from './modes.js'
 */

/** Speed of each round; the third is the quickest. */
const WAVERING = [1, 0.97, 1.03];

const NODE = { cpu: 0.5, mainThreadCpu: 0.48, memoryBytes: 1e8 };

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
        { ...NODE, id: 'redis-1', role: 'primary', counters: { ...NO_COUNTERS, ...counters } },
        ...(replica
          ? [
              {
                ...NODE,
                id: 'redis-2',
                role: /** @type {const} */ ('replica'),
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

/** @returns {StorageInfo[]} a local disk, and an emulated one */
export function storageInfos() {
  const fsyncNs = { min: 4e5, p50: 8e5, p90: 1e6, p95: 1.1e6, p99: 4e6, p999: 5e6, max: 6e6, mean: 9e5, samples: 200 };
  const local = { label: 'tmp', emulated: false, how: 'the directory for temporary files', filesystem: 'ext4' };
  const slow = { ...local, label: 'slow', emulated: true, how: 'a loop mount over nbdkit’s delay filter' };
  return [local, slow].map((each) => ({ ...each, freeBytes: 8e10, fsyncNs }));
}
