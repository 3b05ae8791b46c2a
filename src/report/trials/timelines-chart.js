/**
 * The courses of a failure benchmark's cases, one below the other on one axis of time.
 */

import { median } from '../../measure/statistics.js';
import { worstTrial } from '../failure-timeline.js';
import { auditsOf } from '../failure-totals.js';
import { milliseconds, titleWithClient } from '../failure-words.js';
import { count, plural } from '../format.js';
import {
  BANDS_NOTE,
  backdrop,
  bandLegend,
  binsOf,
  MARKS_NOTE,
  silentSpans,
  splitBrainSpan,
  timeAxis,
  WIDTHS,
  widthsNote,
} from './failure-windows.js';
import { legend } from './parts.js';
import { writerStyle } from './styles.js';

/**
 * @typedef {import('../schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('../schema.js').CaseResult} CaseResult
 * @typedef {import('../failure-timeline.js').Worst} Worst
 * @typedef {import('./types.js').Chart} Chart
 *
 * @typedef {Object} Panel
 * @property {CaseResult} one
 * @property {Worst} worst
 * @property {string} title
 * @property {{writer: string, lost: number}[]} losses acknowledged writes
 * @property {ReturnType<typeof binsOf>} bins
 */

/** Points of a line: more do not fit into the width. */
const MOST_POINTS = 360;
const TOP = 92;
const PANEL = 62;
const GAP = 44;
const BOTTOM = 44;
/** The height of a panel, in times the usual pace: whoever catches up writes many times as fast, and would flatten all else. */
const HEADROOM = 2;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Chart | null} of each case the worst trial; null: no case has a course
 */
export function coursesChart(benchmark) {
  const panels = benchmark.cases.flatMap((one) => panelOf(benchmark, one));
  if (panels.length === 0) return null;
  const writers = [...new Set(panels.flatMap(({ bins }) => bins.writers.map(({ writer }) => writer)))];
  const binned = panels.some(({ bins }) => bins.stepsABin > 1);
  const data = panels.flatMap((panel) => [
    { name: `${panel.title}: time`, format: /** @type {const} */ ('seconds'), values: panel.bins.times },
    ...panel.bins.writers.flatMap(({ writer, ackedMean, ackedLow }) => [
      { name: `${panel.title}: ${writer}`, format: /** @type {const} */ ('rate'), values: ackedMean },
      ...(binned
        ? [{ name: `${panel.title}: ${writer}, lowest`, format: /** @type {const} */ ('rate'), values: ackedLow }]
        : []),
    ]),
  ]);
  const rows = Array.from({ length: Math.max(...data.map(({ values }) => values.length)) }, (_, i) =>
    data.map(({ values }) => values[i] ?? null),
  );
  const from = Math.min(...panels.map(({ bins }) => bins.times[0]));
  const to = Math.max(...panels.map(({ bins }) => bins.times[bins.times.length - 1]));
  const tops = topsOf(panels);
  const bands = bandLegend(panels.map(({ worst }) => worst.trial));
  return {
    id: `${benchmark.name}.courses`,
    title: 'Acked writes a second, from before the fault to after it was undone',
    alt: altOf(panels),
    note: noteOf(panels, binned),
    columns: data.map(({ name, format }) => ({ name, format })),
    rows,
    height: TOP + panels.length * (PANEL + GAP) - GAP + BOTTOM,
    option: {
      legend: { ...legend(), data: [...writers.map((name) => ({ name, icon: 'roundRect' })), ...bands.legend] },
      axisPointer: { link: [{ xAxisIndex: 'all' }] },
      grid: panels.map((_, i) => ({ left: 64, right: 24, top: TOP + i * (PANEL + GAP), height: PANEL })),
      xAxis: panels.map((_, i) => timeAxis({ panel: i, last: i === panels.length - 1, from, to })),
      yAxis: panels.map((panel, i) => rateAxis(panel, i, tops[i])),
      series: [
        ...bands.series,
        ...panels.flatMap((panel, i) => [
          backdrop(panel.worst.trial, { panel: i, label: 'letter' }),
          ...panel.bins.writers.flatMap(({ writer }, place) =>
            linesOfWriter(panel, i, writer, WIDTHS[place] ?? WIDTHS[0], binned),
          ),
        ]),
      ],
    },
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {Panel[]} none or one
 */
function panelOf(benchmark, one) {
  const worst = worstTrial(benchmark, one);
  if (!worst || worst.trial.writers.every(({ acked }) => acked.length === 0)) return [];
  const title = titleWithClient(one);
  const audits = auditsOf(benchmark, one).filter(({ round }) => round === worst.trial.round);
  const losses = audits.map(({ writer, ackedLost }) => ({ writer, lost: ackedLost }));
  return [{ one, worst, title, losses, bins: binsOf(worst.trial, MOST_POINTS) }];
}

/**
 * Writers through libraries write at another pace than our own: each kind of client has a scale of its own.
 *
 * @param {Panel[]} panels
 * @returns {number[]} writes a second, of each panel's upper edge
 */
function topsOf(panels) {
  const clients = [...new Set(panels.map(({ one }) => one.params.client))];
  const tops = new Map(
    clients.map((client) => {
      const alike = panels.filter(({ one }) => one.params.client === client);
      const rates = alike.flatMap(({ bins }) => bins.writers.flatMap(({ ackedMean }) => ackedMean));
      const usual = rates.filter((value) => value !== null && value > 0);
      return [client, usual.length === 0 ? 1 : Math.ceil(HEADROOM * median(/** @type {number[]} */ (usual)))];
    }),
  );
  return panels.map(({ one }) => /** @type {number} */ (tops.get(one.params.client)));
}

/**
 * @param {Panel} panel
 * @param {number} index
 * @param {number} max
 */
function rateAxis({ title, losses }, index, max) {
  return {
    type: 'value',
    gridIndex: index,
    min: 0,
    max,
    interval: max,
    name: losses.length === 0 ? `{title|${title}}` : `{title|${title}}{lost|lost: ${lostText(losses)}}`,
    nameGap: 14,
    nameTextStyle: {
      align: 'left',
      padding: [0, 0, 0, -48],
      color: '$muted',
      // Without a browser widths are guessed, and words run into each other.
      rich: { title: { color: '$ink' }, lost: { color: '$muted', padding: [0, 0, 0, 22] } },
    },
    axisLine: { show: false, onZero: false },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: { color: '$muted', formatter: '@rate' },
  };
}

/**
 * @param {Panel} panel
 * @param {number} index
 * @param {string} writer
 * @param {number} width
 * @param {boolean} binned
 */
function linesOfWriter({ title }, index, writer, width, binned) {
  const { color } = writerStyle(writer);
  const line = (/** @type {string} */ column, /** @type {Record<string, any>} */ style) => ({
    type: 'line',
    name: writer,
    xAxisIndex: index,
    yAxisIndex: index,
    encode: { x: `${title}: time`, y: column },
    showSymbol: false,
    symbol: 'circle',
    itemStyle: { color },
    lineStyle: { color, ...style },
    tooltip: { valueFormatter: '@rate' },
    emphasis: { disabled: true },
  });
  const own = line(`${title}: ${writer}`, { width });
  return binned ? [own, line(`${title}: ${writer}, lowest`, { width: 0.75, type: 'dotted' })] : [own];
}

/** @param {Panel[]} panels */
function altOf(panels) {
  const silent = panels.map(({ title, worst }) => ({ title, ms: lengthOf(silentSpans(worst.trial)) }));
  const split = panels.map(({ title, worst }) => ({ title, ms: lengthOf([splitBrainSpan(worst.trial) ?? [0, 0]]) }));
  const times = (/** @type {typeof silent} */ all) => {
    const some = all.filter(({ ms }) => ms > 0).map(({ title, ms }) => `${title} (${milliseconds(ms)})`);
    return some.length === 0 ? 'in no case' : some.join('; ');
  };
  const losing = panels.filter(({ losses }) => losses.some(({ lost }) => lost > 0));
  const lost = losing.map(({ title, losses }) => `${title} (${lostText(losses)})`);
  return [
    `Acked writes lost: ${lost.length === 0 ? 'in no case' : lost.join('; ')}.`,
    `No write acked for: ${times(silent)}.`,
    `Split brain for: ${times(split)}.`,
  ].join(' ');
}

/** @param {readonly import('./failure-windows.js').Span[]} spans */
function lengthOf(spans) {
  return spans.reduce((sum, [from, to]) => sum + to - from, 0);
}

/** @param {Panel['losses']} losses */
function lostText(losses) {
  return losses.map(({ writer, lost }) => `${writer} ${count(lost)}`).join(', ');
}

/**
 * @param {Panel[]} panels
 * @param {boolean} binned
 */
function noteOf(panels, binned) {
  const steps = [...new Set(panels.map(({ bins }) => milliseconds(bins.binMs)))].join(' or ');
  const points = binned
    ? `A point is the mean of up to ${steps}; the dotted line is the lowest step within.`
    : `A point is a step of ${steps}.`;
  const rounds = Math.max(...panels.map(({ worst }) => worst.rounds));
  const which =
    rounds > 1
      ? `Of up to ${plural(rounds, 'round')} a case the worst: most acked writes lost, then longest unavailable.`
      : '';
  const cut = 'A line that leaves its panel at the top catches up on what was due.';
  const widths = widthsNote(panels.map(({ worst }) => worst.trial));
  return [points, widths, cut, which, MARKS_NOTE, BANDS_NOTE].filter((part) => part !== '').join(' ');
}
