/** For tests only: a benchmark `copy` with figures that add up. */
import { caseOf, roundOf } from '../../src/report/fixture.js';

/**
 * @import { BenchmarkResult, CaseParams, CaseResult, RoundResult } from '../types.js'
 * @import { CopyFigures } from './document.js'
 */

const KEYS = 100_000;
const EQUAL = { keys: KEYS, missing: 0, extra: 0, type: 0, value: 0, ttl: 0 };
const USE = { cpu: 0.4, networkInBytes: 1_000_000, networkOutBytes: 12_000_000, blockOutBytes: 0 };

/** @param {Partial<CopyFigures>} [figures] @returns {CopyFigures} of a full copy without writers */
export function copied(figures = {}) {
  const { seconds = 0.5, copiedKeys = KEYS } = figures;
  return {
    pairs: 1,
    keysBefore: KEYS,
    seconds,
    copiedKeys,
    copiedBytes: 12_000_000,
    copyRate: copiedKeys / seconds,
    sourceRate: 0,
    behindSeconds: 0,
    use: { source: USE, copy: USE, mover: null },
    copyOnWriteBytes: null,
    sourceMemoryPeakBytes: 46_000_000,
    comparison: EQUAL,
    ...figures,
  };
}

/**
 * @param {number} p99Ms while it is copied
 * @returns {NonNullable<CopyFigures['writers']>}
 */
export function wrote(p99Ms) {
  const before = { seconds: 1, writes: 4000, p50Ns: 200_000, p99Ns: 1_000_000, maxNs: 4_000_000 };
  return {
    before,
    during: { ...before, p99Ns: p99Ms * 1e6, maxNs: p99Ms * 2e6 },
    after: { ...before, p99Ns: 1_100_000 },
  };
}

/**
 * @param {Partial<CaseParams> & {copyMode: string}} params
 * @param {Partial<CopyFigures>} [figures]
 * @param {{round?: Partial<RoundResult>, baseline?: CaseResult}} [more]
 */
export function copyCaseOf({ pairs = 1, ...params }, figures, { round, baseline } = {}) {
  const copy = copied({ pairs, ...figures });
  return caseOf(
    `${params.copyMode}-${pairs}`,
    { mover: 'sync', pairs, replicas: 1, ...params },
    [roundOf({ writes: 100, seconds: copy.seconds, throughput: copy.copyRate, copy, ...round })],
    baseline,
  );
}

/** @returns {BenchmarkResult} before checks and findings */
export function copyOf() {
  const mover = { cpu: 0.8, networkInBytes: 15_000_000, networkOutBytes: 20_000_000, blockOutBytes: null };
  const scanUse = { use: { source: { ...USE, networkOutBytes: 15_000_000 }, copy: USE, mover } };
  const writing = { sourceRate: 4000, behindSeconds: 0.02 };
  const sync = copyCaseOf({ copyMode: 'sync-rdb' }, { seconds: 0.5, copyOnWriteBytes: 1_000_000 });
  const heaviest = { writers: wrote(5), sourceRate: 50_000 };
  const cases = [
    sync,
    copyCaseOf({ copyMode: 'sync-rdb', pairs: 2 }, { seconds: 0.6, copiedKeys: 2 * KEYS }, { baseline: sync }),
    copyCaseOf({ copyMode: 'redis-shake-scan', mover: 'redis-shake-scan', scanCount: 10 }, { seconds: 2, ...scanUse }),
    copyCaseOf({ copyMode: 'sync-rdb-writes' }, { ...writing, writers: wrote(40), copyOnWriteBytes: 3_000_000 }),
    copyCaseOf(
      { copyMode: 'redis-shake-scan-writes', mover: 'redis-shake-scan', scanCount: 10 },
      {
        ...writing,
        ...scanUse,
        writers: wrote(9),
        comparison: { ...EQUAL, keys: 110_000, missing: 400, value: 1100, ttl: 3 },
      },
    ),
    copyCaseOf(
      { copyMode: 'sync-aof' },
      { ...heaviest, seconds: 3.1, copiedKeys: 150_000, behindSeconds: 0.1, keysBefore: 10_000 },
    ),
    copyCaseOf(
      { copyMode: 'redis-shake-scan-ksn', mover: 'redis-shake-scan-ksn', scanCount: 10 },
      { ...heaviest, ...scanUse, seconds: 5, copiedKeys: 120_000, behindSeconds: 2, keysBefore: 10_000 },
    ),
  ];
  return { name: 'copy', question: 'How fast?', status: 'ok', cases, findings: [], checks: [] };
}
