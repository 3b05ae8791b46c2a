/**
 * Reads on replicas that did not show a write which was acknowledged: how many, and for how long.
 */
import { mergeHistograms } from '../../measure/histogram.js';
import { levelTitle } from '../failure-words.js';
import { count, duration, percent } from '../format.js';
import { dotChart } from './dots.js';
import { fittedAxis, grid, legend, lineSeries } from './parts.js';
import { IN_A_DECADE, MOST_CURVES } from './percentiles.js';
import { levelStyle } from './styles.js';

/**
 * @typedef {import('../schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('../schema.js').CaseResult} CaseResult
 * @typedef {NonNullable<CaseResult['rounds'][number]['consistency']>} Consistency
 * @typedef {import('./types.js').Chart} Chart
 */

/** Of none in N, the true share is below 3/N with 95 % confidence ("rule of three"). */
const RULE_OF_THREE = 3;
/** Of a distribution so many values are drawn at most. */
const MOST_RANKS = 500;
const MILLION = 1e6;
const SHORTEST_NS = 1e4;
const DECADES = 7;
const TIMES = Array.from({ length: DECADES }, (_, i) => IN_A_DECADE.map((x) => x * SHORTEST_NS * 10 ** i)).flat();
const X = 'time since the write was acknowledged';

/**
 * @param {CaseResult} result
 * @returns {Consistency} of all rounds together
 */
export function consistencyOf({ rounds }) {
  const sum = { reads: 0, immediate: 0, afterWait: 0, stale: 0 };
  for (const { consistency } of rounds) {
    sum.reads += consistency?.reads ?? 0;
    sum.immediate += consistency?.immediate ?? 0;
    sum.afterWait += consistency?.afterWait ?? 0;
    sum.stale += consistency?.stale ?? 0;
  }
  return sum;
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Chart | null} null: nothing was read in at least two cases
 */
export function staleReadsChart({ name, cases }) {
  const read = cases.filter((one) => consistencyOf(one).reads > 0);
  const rowOf = (/** @type {CaseResult} */ one) => {
    const { reads, immediate } = consistencyOf(one);
    return `${caseName(one)}: ${count(reads - immediate)} of ${count(reads)}`;
  };
  return dotChart({
    id: `${name}.stale-reads`,
    title: 'Reads on a replica that did not show an acknowledged write',
    note:
      'Of all rounds together; the line spans the rounds. Where none of N was stale, it ends at 3/N, below which the true share lies ' +
      'with 95 % confidence.',
    rowName: 'case: stale reads of all',
    rows: read.map(rowOf),
    series: [...new Map(read.map(({ params }) => [levelTitle(params), params]))].map(([level, params]) => ({
      name: level,
      style: levelStyle(params),
    })),
    value: (row, level) => {
      const one = read.find((each) => rowOf(each) === row && levelTitle(each.params) === level);
      return one && staleShare(one);
    },
    axis: 'share of reads',
    format: 'percent',
    oneLane: true,
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Chart | null} null: no read was stale, or in more cases than can be told apart
 */
export function staleTimesChart({ name, cases }) {
  const stale = cases.filter(({ summary }) => summary.samples > 0);
  if (stale.length > MOST_CURVES) return null;
  const late = stale.flatMap((one) => {
    const { reads, immediate } = consistencyOf(one);
    if (reads === immediate) return [];
    const shares = sharesAfter(one, (reads - immediate) / reads);
    /** @type {import('./types.js').Style} */
    const style = { ...levelStyle(one.params), dash: one.params.backgroundConnections ? 'dashed' : 'solid' };
    return [{ name: caseName(one), one, shares, style }];
  });
  if (late.length === 0) return null;
  const from = Math.max(0, Math.min(...late.map(({ shares }) => shares.findIndex((share) => share < shares[0]))) - 1);
  const to = Math.max(...late.map(({ shares }) => shares.findLastIndex((share) => share > 0)));
  const rows = TIMES.map((time, i) => [time, ...late.map(({ shares }) => MILLION * shares[i] || null)]).slice(
    from,
    to + 1,
  );
  if (rows.length < 2) return null;
  return {
    id: `${name}.stale-for`,
    title: 'Of a million reads, how many were still stale',
    alt: late
      .map(({ name, one }) => {
        const { p50, max } = one.summary.latencyNs;
        const { reads, immediate } = consistencyOf(one);
        return `${name}: ${percent((reads - immediate) / reads)} of the reads were stale, half of them for more than ${duration(p50)}, the longest for ${duration(max)}.`;
      })
      .join(' '),
    note: 'Both axes are logarithmic. Cases without a stale read have no curve.',
    columns: [
      { name: X, format: 'duration' },
      ...late.map(({ name }) => ({ name, format: /** @type {const} */ ('count') })),
    ],
    rows,
    height: 400,
    option: {
      grid: grid(),
      legend: legend(late.map(({ name }) => name)),
      xAxis: fittedAxis(X, { format: 'duration', values: rows.map(([time]) => time), log: true, across: true }),
      yAxis: fittedAxis('of a million reads, still stale', {
        format: 'count',
        values: rows.flatMap((row) => row.slice(1)),
        log: true,
      }),
      series: late.flatMap(({ name, style }) =>
        lineSeries({ name, x: X, y: name, style, format: 'count', symbolSize: 5 }),
      ),
    },
  };
}

/** @param {CaseResult} one */
function caseName({ params }) {
  return `${params.wait === 0 ? 'no WAIT' : levelTitle(params)}, ${params.backgroundConnections ? 'under load' : 'alone'}`;
}

/** @param {CaseResult} one */
function staleShare(one) {
  const { reads, immediate } = consistencyOf(one);
  if (immediate === reads) return { median: 0, low: 0, high: RULE_OF_THREE / reads };
  const shares = one.rounds.flatMap(({ consistency }) =>
    consistency && consistency.reads > 0 ? [1 - consistency.immediate / consistency.reads] : [],
  );
  return { median: 1 - immediate / reads, low: Math.min(...shares), high: Math.max(...shares) };
}

/**
 * @param {CaseResult} one
 * @param {number} atOnce share of its reads that were stale
 * @returns {number[]} share of all reads that were still stale at each of {@link TIMES}
 */
function sharesAfter({ rounds }, atOnce) {
  const merged = mergeHistograms(rounds.map(({ histogram }) => histogram));
  const ranks = Math.min(MOST_RANKS, merged.totalCount);
  const values = Array.from({ length: ranks }, (_, i) => merged.getValueAtPercentile((100 * (i + 0.5)) / ranks));
  return TIMES.map((time) => (atOnce * values.filter((value) => value > time).length) / ranks);
}
