/**
 * Claims of an article about persistence.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue, Result } from '../../src/result/schema.js'
 * @import { Claim, Examined } from '../../src/report/articles.js'
 * @import { Storage } from './figures.js'
 */
import { ARTICLES, within } from '../../src/report/articles.js';
import { duration, interval, plural, rate, times } from '../../src/report/format.js';
import { casesOn, p99Of, ratio, storagesOf } from './figures.js';
import { modeTitle, storageTitle } from './modes.js';

/** The article's factor is 6.0; within a factor of 1.5 either way ours counts as the same. */
const FACTOR = { least: 4, most: 9 };
/** The article's gap between no AOF on a local disk and AOF on network storage is a factor of 14.3; likewise. */
const GAP = { least: 14.3 / 1.5, most: 14.3 * 1.5 };
/** The article's gap in p99 between the same two is a factor of 39; likewise. */
const P99_GAP = { least: 39 / 1.5, most: 39 * 1.5 };
const P99_NS = 100e6;
/** In the article AOF leaves 2,537 of 8,027 GETs; within a factor of 1.5 either way ours counts as the same. */
const GET_LEFT = { least: 0.316 / 1.5, most: 0.316 * 1.5 };
/** The article's configurations, with RDB thresholds. Earlier results have only those without. */
const AOF_OFF = ['thresholds', 'off'];
const AOF_ON = ['everysec-thresholds', 'everysec'];
/** A loss of more than a tenth is more than minimal. */
const MINIMAL = { least: 0.9 };
const HALF = { most: 0.5 };

const TOOL = 'redis-benchmark, 180,000 B, 20 clients';
const DIFFERS = 'native load client; this machine’s disk';
const DIFFERS_STORAGE =
  'native load client; emulated or given storage instead of Longhorn; storages measured one after the other';

/** @type {readonly Omit<Claim, 'article' | 'benchmark'>[]} */
const examined = [
  {
    claim: 'AOF on a local disk costs a factor of 6 in SET throughput',
    theirs: `7,696 to 1,275 SETs a second; ${TOOL}`,
    differs: DIFFERS,
    examine: examineFactor,
  },
  {
    claim: 'With AOF on a local disk p99 of SET stays above 100 ms, however it is tuned',
    theirs: `102.5 to 121.2 ms in 4 configurations; ${TOOL}`,
    differs: DIFFERS,
    examine: examineTuning,
  },
  {
    claim: 'AOF on network storage is 14.3 times slower than no AOF on a local disk',
    theirs: `7,696 against 537 SETs a second, a factor of 14.3; ${TOOL}`,
    differs: `${DIFFERS_STORAGE}; small data set`,
    examine: (benchmark, run) => examineGap(benchmark, run, { figure: throughputOf, rises: false, claimed: GAP }),
  },
  {
    claim: 'p99 of SET with AOF on network storage is 39 times that of no AOF on a local disk',
    theirs: `5.12 ms against 201.86 ms; ${TOOL}`,
    differs: `${DIFFERS_STORAGE}; small data set`,
    examine: (benchmark, run) => examineGap(benchmark, run, { figure: p99Of, rises: true, claimed: P99_GAP }),
  },
  {
    claim: 'AOF on a local disk leaves a third of the GETs',
    theirs: `8,027 to 2,537 GETs a second; ${TOOL}`,
    differs: DIFFERS,
    examine: examineReads,
  },
  {
    claim: 'With AOF on, network storage hardly affects GET',
    theirs: `2,537 GETs a second on the local disk, 2,522 on Longhorn; ${TOOL}`,
    differs: DIFFERS_STORAGE,
    examine: (benchmark, run) => examineStorage(benchmark, run, 'get', MINIMAL),
  },
  {
    claim: 'With AOF on, PING is as fast on network storage as on a local disk, or faster',
    theirs: `11,000 to 18,000 PINGs a second on the local disk, 19,000 to 21,000 on Longhorn; ${TOOL}`,
    differs: DIFFERS_STORAGE,
    examine: (benchmark, run) => examineStorage(benchmark, run, 'ping', MINIMAL),
  },
  {
    claim: 'With AOF on, network storage takes half as many SETs as a local disk, or fewer',
    theirs: `1,275 SETs a second on the local disk, 577 on Longhorn; ${TOOL}`,
    differs: DIFFERS_STORAGE,
    examine: (benchmark, run) => examineStorage(benchmark, run, 'set', HALF),
  },
];

/** @type {readonly Claim[]} */
export const claims = Object.freeze(
  examined.map((claim) => ({ article: ARTICLES.aof, benchmark: 'persistence', ...claim })),
);

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @param {'set' | 'get' | 'ping'} operation
 * @param {readonly string[]} modes the first that was measured counts
 * @returns {CaseResult | undefined}
 */
function caseOn(benchmark, storage, operation, modes) {
  const cases = casesOn(benchmark, storage, { operation, preloadKeys: undefined });
  return modes.flatMap((mode) => cases.find(({ params }) => params.level === mode) ?? [])[0];
}

/** @param {CaseResult} result */
function throughputOf({ summary }) {
  return summary.throughput;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage'>} run
 * @returns {Examined | null}
 */
function examineFactor(benchmark, { storage }) {
  const [local] = storagesOf(benchmark, storage);
  const off = local && caseOn(benchmark, local, 'set', AOF_OFF);
  const result = local && caseOn(benchmark, local, 'set', AOF_ON);
  const factor = off && result && ratio(off, result, ({ throughput }) => throughput);
  if (!factor) return null;
  const [from, to] = [off, result].map(({ summary }) => rate(summary.throughput.median));
  return {
    ours: `${from} to ${to} on ${storageTitle(local)} with AOF everysec, a factor of ${interval(factor, times).replaceAll('×', '')}`,
    holds: within(factor, FACTOR),
    rounds: result.rounds.length,
    evidence: [off.id, result.id],
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage'>} run
 * @returns {Examined | null}
 */
function examineReads(benchmark, { storage }) {
  const [local] = storagesOf(benchmark, storage);
  const off = local && caseOn(benchmark, local, 'get', AOF_OFF);
  const result = local && caseOn(benchmark, local, 'get', AOF_ON);
  const left = off && result && ratio(result, off, ({ throughput }) => throughput);
  if (!left) return null;
  const [from, to] = [off, result].map(({ summary }) => rate(summary.throughput.median));
  return {
    ours: `${from} to ${to} on ${storageTitle(local)}: ${interval(left, times)}`,
    holds: within(left, GET_LEFT),
    rounds: result.rounds.length,
    evidence: [off.id, result.id],
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage'>} run
 * @returns {Examined | null}
 */
function examineTuning(benchmark, { storage }) {
  const [local] = storagesOf(benchmark, storage);
  const cases = local
    ? casesOn(benchmark, local, { operation: 'set' }).filter(
        (result) => result.params.settings?.appendonly === 'yes' && p99Of(result) !== null,
      )
    : [];
  if (cases.length === 0) return null;
  const sorted = cases.toSorted((a, b) => a.summary.p99Ns.median - b.summary.p99Ns.median);
  const shown = (/** @type {CaseResult} */ { params, summary }) =>
    `${duration(summary.p99Ns.median)} (${modeTitle(params)})`;
  const judged = cases.map(({ summary }) => within(summary.p99Ns, { least: P99_NS }));
  return {
    ours: `${shown(sorted[0])} to ${shown(sorted[sorted.length - 1])} in ${plural(cases.length, 'case')}`,
    // One configuration below 100 ms contradicts it.
    holds: judged.includes(false) ? false : judged.includes(null) ? null : true,
    rounds: Math.min(...cases.map(({ rounds }) => rounds.length)),
    evidence: cases.map(({ id }) => id),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage'>} run
 * @param {Object} what
 * @param {(result: CaseResult) => IntervalValue | null} what.figure
 * @param {boolean} what.rises with AOF on network storage
 * @param {{least: number, most: number}} what.claimed of the larger over the smaller
 * @returns {Examined | null}
 */
function examineGap(benchmark, { storage }, { figure, rises, claimed }) {
  const [local, other] = storagesOf(benchmark, storage);
  const fast = local && caseOn(benchmark, local, 'set', AOF_OFF);
  const slow = other && caseOn(benchmark, other, 'set', AOF_ON);
  if (!fast || !slow) return null;
  const [larger, smaller] = rises ? [slow, fast] : [fast, slow];
  return compare(larger, smaller, {
    figure,
    claimed,
    text: (value) => `a factor of ${value.replaceAll('×', '')} on ${storageTitle(other)}`,
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage'>} run
 * @param {'set' | 'get' | 'ping'} operation
 * @param {{least?: number, most?: number}} claimed of the ratio
 * @returns {Examined | null}
 */
function examineStorage(benchmark, { storage }, operation, claimed) {
  const [local, other] = storagesOf(benchmark, storage);
  const here = local && caseOn(benchmark, local, operation, AOF_ON);
  const there = other && caseOn(benchmark, other, operation, AOF_ON);
  if (!here || !there) return null;
  const [own, base] = [there, here].map(({ summary }) => rate(summary.throughput.median));
  const where = `${own} on ${storageTitle(other)}, ${base} on ${storageTitle(local)}`;
  return compare(there, here, { figure: throughputOf, claimed, text: (value) => `${where}: ${value}` });
}

/**
 * Storages are measured one after the other, so rounds cannot be paired: the interval spans all combinations of both intervals.
 *
 * @param {CaseResult} one
 * @param {CaseResult} other
 * @param {{figure: (result: CaseResult) => IntervalValue | null, claimed: {least?: number, most?: number},
 *   text: (ratio: string) => string}} what
 * @returns {Examined | null} null: no figure, or one of zero
 */
function compare(one, other, { figure, claimed, text }) {
  const [own, base] = [one, other].map(figure);
  if (!own || !base || base.low === 0) return null;
  const value = { median: own.median / base.median, low: own.low / base.high, high: own.high / base.low };
  return {
    ours: text(interval(value, times)),
    holds: within(value, claimed),
    rounds: Math.min(one.rounds.length, other.rounds.length),
    evidence: [one.id, other.id],
  };
}
