/**
 * Response time against the rate at which writes arrive, a line a durability level: it rises slowly, then at the highest rate that can
 * be sustained at once.
 */
import { isSustained } from '../../measure/summary.js';
import { hasEnoughBeyond, p99Interval } from '../columns.js';
import { levelTitle } from '../failure-words.js';
import { duration, rate } from '../format.js';
import { fittedAxis, grid, legend, lineSeries } from './parts.js';
import { levelStyle } from './styles.js';

/**
 * @typedef {import('../schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('../schema.js').CaseResult} CaseResult
 * @typedef {import('./types.js').Chart} Chart
 */

const X = 'offered';
/** So far beside the first and the last rate the axis ends, at least. */
const BESIDE = 1.1;

/**
 * @param {BenchmarkResult} benchmark of open loop
 * @returns {Chart | null} null: there is nothing to compare
 */
export function responseTimeByRate({ name, cases }) {
  const rates = [...new Set(cases.flatMap(({ params }) => params.rate ?? []))].sort((a, b) => a - b);
  if (rates.length < 2) return null;
  const levels = [...new Map(cases.map(({ params }) => [levelTitle(params), params]))].map(([level, params]) => {
    const own = cases.filter((one) => levelTitle(one.params) === level && one.params.rate !== undefined);
    return { level, style: levelStyle(params), own, knee: kneeOf(own) };
  });
  const rows = rates.map((offered) => [
    offered,
    ...levels.flatMap(({ own }) => figures(own.find(({ params }) => params.rate === offered))),
  ]);
  const times = rows.flatMap((row) => row.slice(1));
  if (times.every((time) => time === null)) return null;
  return {
    id: `${name}.response-time`,
    title: 'Response time by offered rate',
    alt: levels.map(levelText).join(' '),
    note:
      'Solid: p99, with how far rounds were off; dotted: p50. Ringed: the highest rate that was sustained. Hollow: p99 at rates that were ' +
      'not; there response time grows for as long as a round lasts. Both axes are logarithmic.',
    columns: [
      { name: X, format: 'rate' },
      ...levels.flatMap(({ level }) =>
        columnsOf(level).map((column) => ({ name: column, format: /** @type {const} */ ('duration') })),
      ),
    ],
    rows,
    height: 460,
    option: {
      grid: grid(),
      legend: legend(levels.flatMap(({ level }) => columnsOf(level).slice(0, 2))),
      xAxis: fittedAxis('offered writes a second', {
        format: 'rate',
        values: [rates[0] / BESIDE, ...rates, rates[rates.length - 1] * BESIDE],
        log: true,
        across: true,
      }),
      yAxis: fittedAxis('response time', { format: 'duration', values: times, log: true }),
      series: levels.flatMap(levelSeries),
    },
  };
}

/** @param {string} level */
function columnsOf(level) {
  return [`${level}, p99`, `${level}, p50`, `${level}, p99 low`, `${level}, p99 high`, `${level}, p99, not sustained`];
}

/**
 * @param {CaseResult | undefined} one
 * @returns {(number | null)[]} of {@link columnsOf}
 */
function figures(one) {
  if (one === undefined) return [null, null, null, null, null];
  const { summary } = one;
  const p99 = hasEnoughBeyond(one, 0.01) ? p99Interval(summary) : null;
  if (!isSustained(one.rounds)) return [null, null, null, null, p99?.median ?? null];
  const p50 = hasEnoughBeyond(one, 0.5) ? summary.latencyNs.p50 : null;
  return [p99?.median ?? null, p50, p99?.low ?? null, p99?.high ?? null, null];
}

/**
 * @param {readonly CaseResult[]} cases of one level
 * @returns {CaseResult | undefined} with the highest rate that was sustained
 */
function kneeOf(cases) {
  const sustained = cases.filter(({ rounds }) => isSustained(rounds));
  return sustained.toSorted((a, b) => (b.params.rate ?? 0) - (a.params.rate ?? 0))[0];
}

/** @param {{level: string, style: import('./types.js').Style, knee: CaseResult | undefined}} line */
function levelSeries({ level, style, knee }) {
  const [p99, p50, low, high, failed] = columnsOf(level);
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
    // Levels were measured at rates of their own too, which are gaps in the others.
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

/**
 * @param {CaseResult} knee
 * @param {import('./types.js').Style} style
 */
function ring(knee, style) {
  const [p99, p50] = figures(knee);
  const at = p99 ?? p50;
  return {
    silent: true,
    symbol: 'circle',
    symbolSize: 20,
    itemStyle: { color: 'transparent', borderColor: style.color, borderWidth: 2 },
    label: { show: true, position: 'right', color: '$ink', formatter: rate(knee.params.rate ?? 0) },
    data: at === null ? [] : [{ coord: [knee.params.rate, at] }],
  };
}

/** @param {{level: string, own: readonly CaseResult[], knee: CaseResult | undefined}} line */
function levelText({ level, own, knee }) {
  if (!knee) return `${level}: no rate that was tried could be sustained.`;
  const failed = own.some(({ rounds }) => !isSustained(rounds)) ? '' : ', and no rate that was tried could not be';
  const [p99, p50] = figures(knee);
  const told = [p50 && `a p50 of ${duration(p50)}`, p99 && `a p99 of ${duration(p99)}`].filter(Boolean).join(' and ');
  return `${level}: ${rate(knee.params.rate ?? 0)} could be sustained${failed}${told === '' ? '' : `, with ${told}`}.`;
}
