/**
 * The decision table as charts: seconds of acknowledged writes lost in the worst fault beside the share of throughput that the mode
 * costs, a mode a row; and the risk of a loss by mode and fault.
 *
 * @import { IntervalValue, Result } from '../../src/result/schema.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { DecisionRow } from './decision.js'
 */

import { count } from '../../src/format.js';
import { gridChart } from '../../src/report/charts/grid.js';
import { categoryAxis, referenceLine, valueAxis } from '../../src/report/charts/parts.js';
import { costOf } from '../../src/report/columns.js';
import { headlineCost, intervalName } from '../../src/report/findings.js';
import { areMany } from '../../src/report/trials/losses.js';
import { emptiedIn, saferFirst, worstOf } from '../../src/report/trials/rows.js';
import { riskMap, riskSquare } from '../pages/risk-map.js';
import { cheaperFirst, decisionRows } from './decision.js';

const MODE = 'mode';
const COST = 'cost in throughput';
const LOW = 'cost, low';
const HIGH = 'cost, high';
const LOST = 'lost in the worst fault';
const EVERYTHING = 'lost everything';
const EMPTIED = 'lost everything in';

const TOP = 70;
const ROW = 24;
const BOTTOM = 56;
const NAME_WIDTH = 200;
/** Both plots have the same rows. Percentages fit every width of the page. */
const LEFT_PLOT = Object.freeze({ left: '30%', width: '30%', outerBoundsMode: 'none' });
const RIGHT_PLOT = Object.freeze({ left: '66%', width: '28%', outerBoundsMode: 'none' });

/**
 * @param {Result} result
 * @returns {Chart | null} null: fewer than two modes have both losses and a throughput
 */
export function decisionChart(result) {
  const rows = decisionRows(result)
    .sort(cheaperFirst(1))
    .filter((row) => row.healthy[1]?.relative && row.trials.some(({ loss }) => loss.seconds !== null))
    .sort((a, b) => saferFirst(a.trials, b.trials));
  if (rows.length < 2 || rows.every((row) => secondsOf(row) === 0 && !isEmptied(row))) return null;
  const emptied = rows.some(isEmptied);
  const most = Math.max(...rows.map(secondsOf)) || 1;
  const full = roomFor(most);
  const rounds = Math.min(...rows.map(({ healthy }) => healthy[1]?.rounds ?? 0));
  const faster = rows.some((row) => Number(throughputCost(row)?.low) < 0);
  const names = rows.map(({ title }) => title);
  const height = rows.length * ROW;
  return {
    id: 'decision',
    title: 'Acknowledged writes lost, in seconds, and cost in throughput, by mode',
    alt: altText(rows),
    columns: [
      { name: MODE },
      { name: COST, format: 'percent' },
      { name: LOW, format: 'percent' },
      { name: HIGH, format: 'percent' },
      { name: LOST, format: 'seconds' },
      { name: EVERYTHING, format: 'seconds' },
      { name: EMPTIED },
    ],
    rows: rows.map((row) => {
      const cost = throughputCost(row);
      const seconds = shortened(secondsOf(row));
      return [
        row.title,
        cost?.median ?? null,
        cost?.low ?? null,
        cost?.high ?? null,
        isEmptied(row) ? null : seconds,
        isEmptied(row) ? full : null,
        emptiedIn(row.trials)
          .map(({ title }) => title)
          .join(', '),
      ];
    }),
    height: TOP + height + BOTTOM,
    option: {
      legend: { show: false },
      tooltip: { trigger: 'item' },
      grid: [LEFT_PLOT, RIGHT_PLOT].map((plot) => ({ ...plot, top: TOP, height })),
      xAxis: [
        {
          ...valueAxis('', { format: 'seconds', across: true, min: 0 }),
          max: full,
          name: emptied ? 'seconds lost in the worst fault; dark: everything' : 'seconds lost in the worst fault',
          gridIndex: 0,
        },
        {
          ...valueAxis('', { format: 'percent', across: true, max: 1, ...(faster ? {} : { min: 0 }) }),
          name: `cost in throughput${rounds > 1 ? `, ${intervalName(rounds)}` : ''}`,
          gridIndex: 1,
        },
      ],
      yAxis: [0, 1].map((gridIndex) => ({
        ...categoryAxis({ inverse: true }),
        gridIndex,
        data: names,
        axisLabel: {
          show: gridIndex === 0,
          color: '$ink',
          width: NAME_WIDTH,
          overflow: 'break',
          lineHeight: 12,
          interval: 0,
        },
      })),
      series: [
        {
          type: 'bar',
          name: LOST,
          xAxisIndex: 0,
          yAxisIndex: 0,
          encode: { x: LOST, y: MODE },
          itemStyle: { color: '$red' },
          barMaxWidth: 12,
          label: { show: true, position: 'right', color: '$ink', fontSize: 11, formatter: `{@${LOST}}` },
        },
        {
          type: 'bar',
          name: EVERYTHING,
          xAxisIndex: 0,
          yAxisIndex: 0,
          barGap: '-100%',
          encode: { x: EVERYTHING, y: MODE, tooltip: [EMPTIED] },
          itemStyle: { color: '$ink' },
          barMaxWidth: 12,
          label: { show: true, position: 'insideLeft', color: '$background', fontSize: 11, formatter: 'ALL' },
        },
        {
          type: 'custom',
          xAxisIndex: 1,
          yAxisIndex: 1,
          renderItem: '@intervalAcross',
          encode: { y: MODE, x: [LOW, HIGH] },
          itemStyle: { color: '$ink', opacity: 0.5 },
          clip: true,
          silent: true,
          tooltip: { show: false },
        },
        {
          type: 'scatter',
          xAxisIndex: 1,
          yAxisIndex: 1,
          symbolSize: 9,
          encode: { x: COST, y: MODE, tooltip: [COST, LOW, HIGH] },
          itemStyle: { color: '$ink', opacity: 1 },
          markLine: referenceLine(0),
        },
      ],
    },
  };
}

/**
 * @param {Result} result
 * @returns {Chart | null} null: fewer than two modes or faults have enough trials for a frequency
 */
export function sweepRisk(result) {
  const squares = decisionRows(result)
    .sort((a, b) => saferFirst(a.trials, b.trials))
    .flatMap((row) =>
      row.trials.flatMap(({ fault, loss }) =>
        areMany([loss]) ? [riskSquare(loss, { scenario: row.title, writer: '', column: fault.title })] : [],
      ),
    );
  return gridChart(riskMap('decision.risk', squares));
}

/**
 * @param {number} most seconds that a bar has; > 0
 * @returns {number} where the axis ends, so that a label has room beyond the longest bar
 */
function roomFor(most) {
  const step = 10 ** Math.floor(Math.log10(most)) / 2;
  return Math.ceil((most * 1.3) / step) * step;
}

/** @param {number} seconds */
function shortened(seconds) {
  return Number(seconds.toPrecision(3));
}

/** @param {DecisionRow} row */
function isEmptied({ trials }) {
  return emptiedIn(trials).length > 0;
}

/** @param {DecisionRow} row */
function secondsOf(row) {
  return worstOf(row.trials)?.loss.seconds ?? 0;
}

/**
 * @param {DecisionRow} row
 * @returns {IntervalValue | null} share of the throughput of async that the mode costs; null: not measured
 */
function throughputCost({ healthy }) {
  const relative = healthy[1]?.relative;
  return relative ? costOf(relative) : null;
}

/** @param {readonly DecisionRow[]} rows at least one, by loss */
function altText(rows) {
  const safe = rows.filter((row) => secondsOf(row) === 0 && !isEmptied(row));
  const worst = rows.reduce((most, row) => (secondsOf(row) > secondsOf(most) ? row : most));
  const seconds = secondsOf(worst);
  const most =
    seconds > 0
      ? ` Most lost${rows.some(isEmptied) ? ' in others' : ''}: ${worst.title}, ${seconds.toFixed(1)} s.`
      : '';
  const cost = safe.length > 0 ? throughputCost(safe[0]) : null;
  const cheapest = cost ? ` Cheapest without a loss: ${safe[0].title}, cost ${headlineCost(cost)}.` : '';
  const nothing =
    safe.length === 0
      ? `All ${count(rows.length)} modes lost writes.`
      : `${count(safe.length)} of ${count(rows.length)} modes lost nothing.`;
  const emptied = rows.filter(isEmptied).length;
  const everything = emptied > 0 ? ` ${count(emptied)} lost everything in a fault.` : '';
  return `${nothing}${everything}${cheapest}${most}`;
}
