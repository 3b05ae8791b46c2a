import { duration, rate as formatRate } from '../../src/format.js';
import { fittedAxis, grid, legend, lineSeries } from '../../src/report/charts/parts.js';
import { modeStyle } from '../../src/report/charts/styles.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { finding } from '../../src/report/findings.js';
import { makeCase } from '../../src/run/case.js';
import { latencyOf, mergeHistograms } from '../../src/stats/histogram.js';
import { hasEnoughBeyond, isSustained, p99Interval } from '../../src/stats/summary.js';
import { modeTitle } from '../modes.js';
import { SloParameters } from './slo.js';

/** @import { Benchmark } from '../../src/run/types.js' */
/** @import { SloValue } from './slo.js' */

/** @import { BenchmarkResult, CaseParams, CaseResult, Finding } from '../../src/result/schema.js' */
/** @import { Chart, Style } from '../../src/report/charts/chart.js' */

const X = 'offered';
/** So far beside the first and the last rate the axis ends, at least. */
const BESIDE = 1.1;

const WAITS = [0, 1, 2];
const CONNECTIONS = 50;
const FIRST_RATES = [1000, 2000, 5000, 10_000, 20_000, 40_000];
/** From the highest rate that was sustained to the next one that is tried. */
const STEP = 1.5;
/** Beyond this rate a single load thread measures itself. */
const MOST = 1_000_000;
const LEAST = 100;
/** The search for the highest rate within the limit ends when the next higher rate tried is this close. */
const NEAR = 1.05;

/** @type {Benchmark} */
export default {
  name: 'latency-curve',
  question: 'How long do users wait at a given rate of writes, and which rate is too high?',
  method:
    `Open loop: writes arrive at random (Poisson) at the rate of the row, on ${CONNECTIONS} connections, whether or not earlier ` +
    'writes were answered. The load thread keeps a CPU to itself to send on time. Response time counts from the scheduled send, so a ' +
    'stall shows in every write that had to wait. Percentiles of a rate that was not sustained mean nothing: they grow with the round.',
  profiles: ['standard', 'full'],
  kind: 'load',
  parameters: SloParameters,
  askedFindings: true,
  cases: ({ client }) => WAITS.flatMap((wait) => FIRST_RATES.map((rate) => caseAt(wait, rate, client))),
  more: (result, { parameters: { slo } = {} }) =>
    WAITS.flatMap((wait) => {
      const waitCases = result.cases.filter(({ params }) => params.wait === wait);
      const next = nextSaturation(waitCases) ?? (slo && nextForSlo(waitCases, slo));
      return next && !waitCases.some(({ params }) => params.rate === next)
        ? [caseAt(wait, next, waitCases[0].params.client)]
        : [];
    }),
  table: [
    column.wait,
    column.right('offered', rateOf),
    column.left('sustained', ({ rounds }) => (isSustained(rounds) ? 'yes' : 'no')),
    { ...column.p50, title: 'response p50' },
    { ...column.p99, title: 'p99' },
    { ...column.p999, title: 'p99.9' },
    column.right('service p99', p99Of('serviceHistogram')),
    column.right('sent late by, p99', p99Of('latenessHistogram')),
    column.limitedBy,
  ],
  charts: (result) => [responseTimeByRate(result)],
  // The answer to what the user asked. What was sustained is on the page.
  findings: (result, { parameters: { slo } = {} }) =>
    WAITS.flatMap((wait) => {
      const waitCases = result.cases.filter(({ params }) => params.wait === wait).sort(byRate);
      return slo && waitCases.length > 0 ? [limit(wait, waitCases, slo)] : [];
    }),
  checks: (result) => [everyWriteAcked({ ...result, cases: result.cases.filter(({ rounds }) => isSustained(rounds)) })],
};

/** @param {number} wait @param {number} rate @param {CaseParams['client']} [client] */
function caseAt(wait, rate, client) {
  return makeCase({ client, wait, rate, connections: CONNECTIONS });
}

/** @type {(a: CaseResult, b: CaseResult) => number} */
const byRate = (a, b) => (a.params.rate ?? 0) - (b.params.rate ?? 0);

/**
 * @param {CaseResult[]} cases with the same WAIT
 * @returns {number | undefined} a higher rate to try, while the highest was sustained
 */
function nextSaturation(cases) {
  const highest = cases.toSorted(byRate).at(-1);
  if (!highest?.params.rate || !isSustained(highest.rounds)) return undefined;
  const next = round(highest.params.rate * STEP);
  return next <= MOST ? next : undefined;
}

/** @param {CaseResult} result @param {SloValue} slo */
function keeps({ rounds, summary }, slo) {
  return isSustained(rounds) && summary.latencyNs[slo.percentile] < slo.ns;
}

/**
 * @param {CaseResult[]} cases with the same WAIT
 * @param {SloValue} slo
 * @returns {{kept: CaseResult | undefined, over: CaseResult | undefined}} the highest rate within the limit, and the next
 *   higher rate that was tried; a lower rate that missed the limit by chance does not count
 */
function around(cases, slo) {
  const sorted = cases.toSorted(byRate);
  const at = sorted.findLastIndex((one) => keeps(one, slo));
  return { kept: sorted[at], over: sorted[at + 1] };
}

/**
 * @param {CaseResult[]} cases with the same WAIT
 * @param {SloValue} slo
 * @returns {number | undefined} the rate to try next in the search for the highest rate within the limit
 */
function nextForSlo(cases, slo) {
  const { kept, over } = around(cases, slo);
  const failing = over?.params.rate;
  const keeping = kept?.params.rate;
  if (failing === undefined) return undefined;
  if (keeping === undefined) return failing / 2 >= LEAST ? round(failing / 2) : undefined;
  return failing / keeping > NEAR ? round(Math.sqrt(failing * keeping)) : undefined;
}

/** @param {number} rate to three digits, so that the ids of cases stay short */
function round(rate) {
  return Number(rate.toPrecision(3));
}

/** @param {'serviceHistogram' | 'latenessHistogram'} name */
function p99Of(name) {
  return (/** @type {CaseResult} */ { rounds }) => {
    const encoded = rounds.flatMap(({ openLoop }) => openLoop?.[name] ?? []);
    return duration(latencyOf(mergeHistograms(encoded)).p99);
  };
}

/**
 * @param {number} wait
 * @param {CaseResult[]} cases by rate
 * @param {SloValue} slo
 * @returns {Finding}
 */
function limit(wait, cases, slo) {
  const [id, mode] = [`slo-wait${wait}`, modeOf(wait)];
  const { kept, over } = around(cases, slo);
  const evidence = [kept, over].flatMap((one) => one?.id ?? []);
  if (!kept) return finding(id, `No tried rate met ${slo.text} ${mode}`, evidence);
  const figure = duration(kept.summary.latencyNs[slo.percentile]);
  const overNs = over?.summary.latencyNs[slo.percentile];
  const next = overNs ? `; ${rateOf(over)} had ${column.atLeast(over.rounds, overNs)}${duration(overNs)}` : '';
  return finding(id, `${rateOf(kept)} is the highest rate that met ${slo.text} ${mode} (${figure})${next}`, evidence);
}

/** @param {number} wait */
function modeOf(wait) {
  return wait === 0 ? 'without WAIT' : `with WAIT ${wait}`;
}

/** @param {CaseResult} one */
function rateOf({ params }) {
  return formatRate(params.rate ?? 0);
}

/**
 * Response time against the offered rate, a line for each mode.
 * @param {BenchmarkResult} benchmark of open loop
 * @returns {Chart | null} null: there is nothing to compare
 */
function responseTimeByRate({ name, cases }) {
  const rates = [...new Set(cases.flatMap(({ params }) => params.rate ?? []))].sort((a, b) => a - b);
  if (rates.length < 2) return null;
  const modes = [...new Map(cases.map(({ params }) => [modeTitle(params), params]))].map(([mode, params]) => {
    const modeCases = cases.filter((one) => modeTitle(one.params) === mode && one.params.rate !== undefined);
    return { mode, style: modeStyle(params), modeCases, knee: kneeOf(modeCases) };
  });
  const rows = rates.map((offered) => [
    offered,
    ...modes.flatMap(({ modeCases }) => figures(modeCases.find(({ params }) => params.rate === offered))),
  ]);
  const times = rows.flatMap((row) => row.slice(1));
  if (times.every((time) => time === null)) return null;
  return {
    id: `${name}.response-time`,
    title: 'Response time by offered rate',
    alt: modes.map(modeText).join(' '),
    note:
      'Solid: p99 with its interval over rounds; dotted: p50. Ringed: the highest sustained rate. Hollow: p99 at rates that were not ' +
      'sustained; there response time grows as long as a round lasts. Both axes are logarithmic.',
    columns: [
      { name: X, format: 'rate' },
      ...modes.flatMap(({ mode }) =>
        columnsOf(mode).map((name) => ({ name, format: /** @type {const} */ ('duration') })),
      ),
    ],
    rows,
    height: 460,
    option: {
      grid: grid(),
      legend: legend(modes.flatMap(({ mode }) => columnsOf(mode).slice(0, 2))),
      xAxis: fittedAxis('offered writes a second', {
        format: 'rate',
        values: [rates[0] / BESIDE, ...rates, rates[rates.length - 1] * BESIDE],
        log: true,
        across: true,
      }),
      yAxis: fittedAxis('response time', { format: 'duration', values: times, log: true }),
      series: modes.flatMap(modeSeries),
    },
  };
}

/** @param {string} mode */
function columnsOf(mode) {
  return [`${mode}, p99`, `${mode}, p50`, `${mode}, p99 low`, `${mode}, p99 high`, `${mode}, p99, not sustained`];
}

/** @param {CaseResult | undefined} one @returns {(number | null)[]} of {@link columnsOf} */
function figures(one) {
  if (one === undefined) return [null, null, null, null, null];
  const { summary } = one;
  const p99 = hasEnoughBeyond(one, 0.01) ? p99Interval(summary) : null;
  if (!isSustained(one.rounds)) return [null, null, null, null, p99?.median ?? null];
  const p50 = hasEnoughBeyond(one, 0.5) ? summary.latencyNs.p50 : null;
  return [p99?.median ?? null, p50, p99?.low ?? null, p99?.high ?? null, null];
}

/**
 * @param {readonly CaseResult[]} cases of one mode
 * @returns {CaseResult | undefined} with the highest rate that was sustained
 */
function kneeOf(cases) {
  const sustained = cases.filter(({ rounds }) => isSustained(rounds));
  return sustained.toSorted((a, b) => (b.params.rate ?? 0) - (a.params.rate ?? 0))[0];
}

/** @param {{mode: string, style: Style, knee: CaseResult | undefined}} line */
function modeSeries({ mode, style, knee }) {
  const [p99, p50, low, high, failed] = columnsOf(mode);
  const [upper, ...intervals] = lineSeries({ name: p99, x: X, y: p99, low, high, style, format: 'duration' });
  const [lower] = lineSeries({
    name: p50,
    x: X,
    y: p50,
    style: { ...style, dash: 'dotted' },
    format: 'duration',
    symbolSize: 5,
  });
  return [
    // Each mode has rates that the others lack; there its line has no value.
    { ...upper, connectNulls: true, ...(knee && { markPoint: ring(knee, style) }) },
    ...intervals,
    { ...lower, connectNulls: true },
    {
      type: 'scatter',
      name: failed,
      encode: { x: X, y: failed },
      symbol: style.symbol,
      symbolSize: 10,
      itemStyle: { color: '$background', borderColor: style.color, borderWidth: 2, opacity: 1 },
      tooltip: { valueFormatter: '@duration' },
    },
  ];
}

/** @param {CaseResult} knee @param {Style} style */
function ring(knee, style) {
  const [p99, p50] = figures(knee);
  const at = p99 ?? p50;
  return {
    silent: true,
    symbol: 'circle',
    symbolSize: 20,
    itemStyle: { color: 'transparent', borderColor: style.color, borderWidth: 2 },
    label: { show: true, position: 'right', color: '$ink', formatter: formatRate(knee.params.rate ?? 0) },
    data: at === null ? [] : [{ coord: [knee.params.rate, at] }],
  };
}

/** @param {{mode: string, modeCases: readonly CaseResult[], knee: CaseResult | undefined}} line */
function modeText({ mode, modeCases, knee }) {
  if (!knee) return `${mode}: no tried rate was sustained.`;
  const failed = modeCases.some(({ rounds }) => !isSustained(rounds)) ? '' : ', and every tried rate was';
  const [p99, p50] = figures(knee);
  const percentiles = [p50 && `a p50 of ${duration(p50)}`, p99 && `a p99 of ${duration(p99)}`]
    .filter(Boolean)
    .join(' and ');
  return `${mode}: ${formatRate(knee.params.rate ?? 0)} was sustained${failed}${percentiles === '' ? '' : `, with ${percentiles}`}.`;
}
