/**
 * The ways to copy a data set, and the cases of the benchmark.
 */
import { DEFAULT_PARAMS } from '../../src/run/case.js';

/**
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { Case } from '../../src/run/types.js'
 */

/**
 * @typedef {'none' | 'moderate' | 'heaviest'} Writing the writers of the source during the copy: none; a fixed rate; as fast as they
 *   are answered
 *
 * @typedef {Object} Mode
 * @property {string} name as in `params.mode`
 * @property {string} mover as in `params.mover`
 * @property {'full' | 'incremental'} what full: an existing data set is copied; incremental: the copy has it already, and new
 *   writes are copied
 * @property {Writing} writing
 * @property {number} [scanCount]
 * @property {boolean} [misses] it does not notice changes behind its cursor
 * @property {boolean} [scaled] measured with several pairs, too
 * @property {Record<string, string>} [settings] of every node
 */

/** The article's. */
const SCAN_COUNT = 10;
const LARGER_SCAN_COUNT = 100;

/** The article's writers: SET of 8 B, two at a time, and as many connections as redis-benchmark makes. */
export const HEAVIEST = Object.freeze({ payloadBytes: 8, pipeline: 2, connections: 50 });
/** Enough writes for a p99 over half a second, and far below what a source can take. */
export const MODERATE = Object.freeze({ payloadBytes: 8, pipeline: 1, connections: 8, rate: 4000 });

const DISKLESS = { 'repl-diskless-sync': 'yes', 'repl-diskless-sync-delay': '0' };
const DISK_BASED = { 'repl-diskless-sync': 'no' };

/** @type {readonly Mode[]} */
export const MODES = Object.freeze(
  /** @type {Mode[]} */ ([
    { name: 'sync-rdb', mover: 'sync', what: 'full', writing: 'none', scaled: true, settings: DISKLESS },
    { name: 'sync-rdb-disk', mover: 'sync', what: 'full', writing: 'none', settings: DISK_BASED },
    { name: 'sync-rdb-writes', mover: 'sync', what: 'full', writing: 'moderate', settings: DISKLESS },
    { name: 'sync-rdb-disk-writes', mover: 'sync', what: 'full', writing: 'moderate', settings: DISK_BASED },
    { name: 'scan', mover: 'scan', what: 'full', writing: 'none', scaled: true },
    { name: 'scan-100', mover: 'scan', what: 'full', writing: 'none', scanCount: LARGER_SCAN_COUNT },
    { name: 'scan-writes', mover: 'scan', what: 'full', writing: 'moderate', misses: true },
    { name: 'scan-ksn-writes', mover: 'scan-ksn', what: 'full', writing: 'moderate' },
    { name: 'sync-aof', mover: 'sync', what: 'incremental', writing: 'heaviest', scaled: true, settings: DISKLESS },
    { name: 'scan-ksn', mover: 'scan-ksn', what: 'incremental', writing: 'heaviest', scaled: true },
    { name: 'redis-shake-sync', mover: 'redis-shake-sync', what: 'full', writing: 'none' },
    { name: 'redis-shake-scan', mover: 'redis-shake-scan', what: 'full', writing: 'none' },
  ]),
);

/** Side by side; the article had 12. */
const PAIRS = Object.freeze([1, 2, 4]);

/**
 * @param {Pick<CaseParams, 'mode'>} params of a case
 * @returns {Mode}
 */
export function modeOf({ mode }) {
  const found = MODES.find(({ name }) => name === mode);
  if (!found) throw new Error(`unknown copying mode ${mode}`);
  return found;
}

/** @returns {Case[]} cases of several pairs have the one of a single pair as baseline */
export function copyCases() {
  return MODES.flatMap((mode) => (mode.scaled ? PAIRS : PAIRS.slice(0, 1)).map((pairs) => copyCase(mode, pairs)));
}

/**
 * @param {Mode} mode
 * @param {number} pairs
 * @returns {Case}
 */
function copyCase({ name, mover, writing, scanCount = SCAN_COUNT, settings }, pairs) {
  const writers = { none: {}, moderate: MODERATE, heaviest: HEAVIEST }[writing];
  return {
    id: `${name}-${pairs}`,
    params: {
      ...DEFAULT_PARAMS,
      ...writers,
      mode: name,
      mover,
      pairs,
      replicas: 1,
      ...(mover.includes('scan') && { scanCount }),
      ...(settings && { settings }),
    },
    ...(pairs > 1 && { baseline: `${name}-1` }),
  };
}
