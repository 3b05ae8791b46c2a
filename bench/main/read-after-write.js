/**
 * After how long replicas show a write that was acknowledged.
 * @import { Chart, Style } from '../../src/report/charts/chart.js'
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { Column } from '../../src/table.js'
 */
import { duration, count as formatCount, percent } from '../../src/format.js';
import { SEQUENCE_DIGITS } from '../../src/load/read-after-write.js';
import { dotChart } from '../../src/report/charts/dots.js';
import { fittedAxis, grid, legend, lineSeries } from '../../src/report/charts/parts.js';
import { IN_A_DECADE, MOST_CURVES } from '../../src/report/charts/percentiles.js';
import { modeStyle } from '../../src/report/charts/styles.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { filled } from '../../src/sentences.js';
import { mergeHistograms } from '../../src/stats/histogram.js';
import { sum } from '../../src/stats/statistics.js';
import { modeTitle } from '../modes.js';
import { roundsOf, TEXTS } from './rounds.js';

/** With no stale read among N, the true share is below 3/N with 95% confidence ("rule of three"). */
const RULE_OF_THREE = 3;
/** The curve of a distribution has at most this many points. */
const MOST_RANKS = 500;
const MILLION = 1e6;
const SHORTEST_NS = 1e4;
const DECADES = 7;
const TIMES = Array.from({ length: DECADES }, (_, i) => IN_A_DECADE.map((x) => x * SHORTEST_NS * 10 ** i)).flat();
const { x: X, y: Y, alt, ...SPEC } = TEXTS.charts.staleFor;

const WRITERS = 4;
const BACKGROUND = [0, 4];
const WAITS = [0, 1, 2];

/** @typedef {NonNullable<CaseResult['rounds'][number]['consistency']>} Consistency */

/** @type {Column<CaseResult>} */
const background = column.left('other load', ({ params }) =>
  params.backgroundConnections ? `${params.backgroundConnections} more writers` : 'none',
);

export default roundsOf('read-after-write', {
  load: 'read-after-write',
  cases: ({ client }) =>
    BACKGROUND.flatMap((backgroundConnections) =>
      WAITS.map((wait) =>
        makeCase({ client, wait, connections: WRITERS, payloadBytes: SEQUENCE_DIGITS, backgroundConnections }),
      ),
    ),
  table: [
    background,
    column.wait,
    count('reads', ({ reads }) => reads),
    share('seen at once', ({ immediate }) => immediate),
    share('seen after WAIT', ({ afterWait }) => afterWait),
    share('still stale', ({ stale }) => stale),
    staleFor('stale for, p50', 'p50'),
    staleFor('longest', 'max'),
    column.limitedBy,
  ],
  charts: (result) => [staleReadsChart(result), staleTimesChart(result)],
  checks: (result) => [everyWriteAcked(result), nothingStaleAfterWaitForAll(result)],
});

/** @param {string} title @param {(consistency: Consistency) => number} value @returns {Column<CaseResult>} */
function count(title, value) {
  return column.right(title, (result) => formatCount(value(consistencyOf(result))));
}

/** @param {string} title @param {(consistency: Consistency) => number} part @returns {Column<CaseResult>} */
function share(title, part) {
  return column.right(title, (result) => {
    const consistency = consistencyOf(result);
    return consistency.reads === 0 ? column.TOO_FEW : percent(part(consistency) / consistency.reads);
  });
}

/** @param {string} title @param {'p50' | 'max'} field @returns {Column<CaseResult>} */
function staleFor(title, field) {
  return column.right(title, ({ summary }) =>
    summary.samples === 0 ? column.TOO_FEW : duration(summary.latencyNs[field]),
  );
}

/** WAIT counts the replicas that have processed the write: after a WAIT for all of them none can miss it. @param {BenchmarkResult} result */
function nothingStaleAfterWaitForAll({ cases }) {
  const waitingForAll = cases.filter(({ params }) => params.wait === Math.max(...WAITS));
  const said = (/** @type {readonly CaseResult[]} */ some) => {
    const each = some.map(consistencyOf);
    const reads = sum(each.map((one) => one.reads));
    const stale = reads - sum(each.map(({ immediate }) => immediate));
    return filled(TEXTS.checks.stale, { stale: formatCount(stale), reads: formatCount(reads) });
  };
  const isGood = (/** @type {Consistency} */ { reads, immediate }) => reads > 0 && immediate === reads;
  return checkEach(
    TEXTS.checks.everyReplica,
    waitingForAll,
    (one) => (isGood(consistencyOf(one)) ? null : said([one])),
    { well: () => said(waitingForAll) },
  );
}

/** @param {CaseResult} result @returns {Consistency} of all rounds together */
function consistencyOf({ rounds }) {
  const total = (/** @type {'reads' | 'immediate' | 'afterWait' | 'stale'} */ field) =>
    sum(rounds.map(({ consistency }) => consistency?.[field] ?? 0));
  return { reads: total('reads'), immediate: total('immediate'), afterWait: total('afterWait'), stale: total('stale') };
}

/** @param {BenchmarkResult} benchmark @returns {Chart | null} null: nothing was read in at least two cases */
function staleReadsChart({ name, cases }) {
  const read = cases.filter((one) => consistencyOf(one).reads > 0);
  const rowOf = (/** @type {CaseResult} */ one) => {
    const { reads, immediate } = consistencyOf(one);
    return `${caseName(one)}: ${formatCount(reads - immediate)} of ${formatCount(reads)}`;
  };
  return dotChart({
    id: `${name}.stale-reads`,
    ...TEXTS.charts.stale,
    rows: read.map(rowOf),
    series: [...new Map(read.map(({ params }) => [modeTitle(params), params]))].map(([mode, params]) => ({
      name: mode,
      style: modeStyle(params),
    })),
    value: (row, mode) => {
      const one = read.find((each) => rowOf(each) === row && modeTitle(each.params) === mode);
      return one && staleShare(one);
    },
  });
}

/** @param {BenchmarkResult} benchmark @returns {Chart | null} null: no read was stale, or there are too many cases for one chart */
function staleTimesChart({ name, cases }) {
  const stale = cases.filter(({ summary }) => summary.samples > 0);
  if (stale.length > MOST_CURVES) return null;
  const late = stale.flatMap((one) => {
    const { reads, immediate } = consistencyOf(one);
    if (reads === immediate) return [];
    const shares = sharesAfter(one, (reads - immediate) / reads);
    /** @type {Style} */
    const style = { ...modeStyle(one.params), dash: one.params.backgroundConnections ? 'dashed' : 'solid' };
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
    ...SPEC,
    alt: late
      .map(({ name, one }) => {
        const { p50, max } = one.summary.latencyNs;
        const { reads, immediate } = consistencyOf(one);
        const share = percent((reads - immediate) / reads);
        return filled(alt, { name, share, p50: duration(p50), max: duration(max) });
      })
      .join(' '),
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
      yAxis: fittedAxis(Y, {
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
  return `${params.wait === 0 ? 'no WAIT' : modeTitle(params)}, ${params.backgroundConnections ? 'under load' : 'alone'}`;
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
