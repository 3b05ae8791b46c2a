/**
 * The timelines of a benchmark's cases, one below the other on one time axis.
 *
 * @import { BenchmarkResult, CaseResult } from '../../result/schema.js'
 * @import { Titles } from '../../run/types.js'
 * @import { Chart } from '../charts/chart.js'
 * @import { CaseWorst, Worst } from './timeline.js'
 */

import { lostSteps } from '../../audit/lost-steps.js';
import { auditsOf } from '../../audit/of-trials.js';
import { count, plural } from '../../format.js';
import { median } from '../../stats/statistics.js';
import { legend } from '../charts/parts.js';
import { writerStyle } from '../charts/styles.js';
import { milliseconds, PLAIN_TITLES } from './figures.js';
import { worstTrials } from './timeline.js';
import * as parts from './timeline-parts.js';

/** @import { Span } from './timeline-parts.js' */

/**
 * @typedef {Object} Panel
 * @property {CaseResult} one
 * @property {Worst} worst
 * @property {string} title
 * @property {{writer: string, lost: number}[]} losses acknowledged writes
 * @property {ReturnType<typeof parts.binsOf>} bins
 */

/** Points of a line that fit into the width. */
const MOST_POINTS = 360;
const TOP = 92;
const PANEL = 62;
const GAP = 44;
const BOTTOM = 44;
/** Height of a panel in multiples of the median rate. A writer that catches up is far faster and would flatten the rest. */
const HEADROOM = 2;
/** Heights that can be told apart in a panel. */
const HEIGHTS = 50;

/**
 * @param {BenchmarkResult} benchmark
 * @param {Titles} [titles]
 * @param {readonly CaseWorst[]} [cases] default: all
 * @returns {Chart | null} the worst trial of each case; null: no case has a timeline
 */
export function timelinesChart(benchmark, titles = PLAIN_TITLES, cases = worstTrials(benchmark)) {
  const panels = cases.flatMap((each) => panelOf(benchmark, each, titles));
  if (panels.length === 0) return null;
  const writers = [...new Set(panels.flatMap(({ bins }) => bins.writers.map(({ writer }) => writer)))];
  const binned = panels.some(({ bins }) => bins.stepsABin > 1);
  const tops = topsOf(panels);
  const data = panels.flatMap((panel, i) => {
    const rates = (/** @type {string} */ name, /** @type {(number | null)[]} */ values) => ({
      name,
      format: /** @type {const} */ ('rate'),
      values: drawn(values, tops[i]),
    });
    return [
      { name: `${panel.title}: time`, format: /** @type {const} */ ('seconds'), values: panel.bins.times },
      ...panel.bins.writers.flatMap(({ writer, ackedMean, ackedLow, lost }) => {
        const name = `${panel.title}: ${titles.writer(writer)}`;
        return [
          rates(name, ackedMean),
          ...(binned ? [rates(`${name}, lowest`, ackedLow)] : []),
          ...(lost === null ? [] : [rates(lostColumn(panel, titles.writer(writer)), lost)]),
        ];
      }),
    ];
  });
  const rows = Array.from({ length: Math.max(...data.map(({ values }) => values.length)) }, (_, i) =>
    data.map(({ values }) => values[i] ?? null),
  );
  const from = Math.min(...panels.map(({ bins }) => bins.times[0]));
  const to = Math.max(...panels.map(({ bins }) => bins.times[bins.times.length - 1]));
  const losing = panels.some(({ bins }) => bins.writers.some(({ lost }) => lost !== null));
  const bands = parts.bandLegend(
    panels.map(({ worst }) => worst.trial),
    losing,
  );
  return {
    id: `${benchmark.name}.timelines`,
    title: 'Acked writes a second, from before the fault to after it was undone',
    alt: altOf(panels),
    note: noteOf(panels, { binned, losing, titles }),
    columns: data.map(({ name, format }) => ({ name, format })),
    rows,
    height: TOP + panels.length * (PANEL + GAP) - GAP + BOTTOM,
    option: {
      legend: {
        ...legend(),
        data: [...writers.map((writer) => ({ name: titles.writer(writer), icon: 'roundRect' })), ...bands.legend],
      },
      axisPointer: { link: [{ xAxisIndex: 'all' }] },
      // A long name above a panel must not make the panel narrower than the others.
      grid: panels.map((_, i) => ({
        ...{ left: 64, right: 24, outerBoundsMode: 'none' },
        top: TOP + i * (PANEL + GAP),
        height: PANEL,
      })),
      xAxis: panels.map((_, i) => parts.timeAxis({ panel: i, last: i === panels.length - 1, from, to })),
      yAxis: panels.map((panel, i) => rateAxis(panel, i, tops[i])),
      series: [
        ...bands.series,
        ...panels.flatMap((panel, i) => [
          parts.backdrop(panel.worst.trial, i),
          ...panel.bins.writers.flatMap(({ writer, lost }) =>
            lost === null
              ? []
              : [parts.lostArea({ x: `${panel.title}: time`, y: lostColumn(panel, titles.writer(writer)), panel: i })],
          ),
          ...panel.bins.writers.flatMap(({ writer }, place) =>
            linesOfWriter(panel, i, {
              writer,
              name: titles.writer(writer),
              width: parts.WIDTHS[place] ?? parts.WIDTHS[0],
              binned,
            }),
          ),
        ]),
      ],
    },
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseWorst} worst
 * @param {Titles} titles
 * @returns {Panel[]} empty, or one
 */
function panelOf(benchmark, { one, ...worst }, titles) {
  if (worst.trial.writers.every(({ acked }) => acked.length === 0)) return [];
  const title = titles.case(one.params);
  const audits = auditsOf(benchmark, one).filter(({ round }) => round === worst.trial.round);
  const losses = audits.map(({ writer, ackedLost }) => ({ writer: titles.writer(writer), lost: ackedLost }));
  return [
    {
      one,
      worst,
      title,
      losses,
      bins: parts.binsOf(worst.trial, { most: MOST_POINTS, lost: lostSteps(benchmark, worst.trial) }),
    },
  ];
}

/**
 * @param {readonly (number | null)[]} rates
 * @param {number} top of the panel
 * @returns {(number | null)[]} rounded to what the panel can show, which packs to half the size; a rate that would become 0 stays
 */
function drawn(rates, top) {
  const grain = Math.max(1, Math.round(top / HEIGHTS));
  return rates.map((rate) => (rate === null || rate < grain ? rate : Math.round(rate / grain) * grain));
}

/**
 * Each client has its own scale, because clients write at different rates.
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

/** @param {Panel} panel @param {number} index @param {number} max */
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
      // Without a browser widths are estimated, too short by up to a pixel a letter.
      rich: { title: { color: '$ink' }, lost: { color: '$muted', padding: [0, 0, 0, 8 + title.length] } },
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
 * @param {{writer: string, name: string, width: number, binned: boolean}} line
 */
function linesOfWriter({ title }, index, { writer, name, width, binned }) {
  const { color } = writerStyle(writer);
  const line = (/** @type {string} */ column, /** @type {Record<string, any>} */ style) => ({
    type: 'line',
    name,
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
  const solid = line(`${title}: ${name}`, { width });
  return binned ? [solid, line(`${title}: ${name}, lowest`, { width: 0.75, type: 'dotted' })] : [solid];
}

/** @param {Panel} panel @param {string} name of a writer */
function lostColumn({ title }, name) {
  return `${title}: ${name}, later lost`;
}

/** @param {Panel[]} panels */
function altOf(panels) {
  const lossOf = (/** @type {Panel} */ { losses }) => Math.max(0, ...losses.map(({ lost }) => lost));
  const silenceOf = (/** @type {Panel} */ { worst }) => lengthOf(parts.silentSpans(worst.trial));
  const splitOf = (/** @type {Panel} */ { worst }) => lengthOf([parts.splitBrainSpan(worst.trial) ?? [0, 0]]);
  const most = (/** @type {(panel: Panel) => number} */ value, /** @type {(number: number) => string} */ format) => {
    const [first] = panels.toSorted((a, b) => value(b) - value(a));
    return value(first) === 0 ? 'none' : `up to ${format(value(first))} (${first.title})`;
  };
  return [
    `Acked writes lost: ${most(lossOf, count)}.`,
    `Time without an ack: ${most(silenceOf, milliseconds)}.`,
    `Split brain: ${most(splitOf, milliseconds)}.`,
  ].join(' ');
}

/** @param {readonly Span[]} spans */
function lengthOf(spans) {
  return spans.reduce((sum, [from, to]) => sum + to - from, 0);
}

/** @param {Panel['losses']} losses */
function lostText(losses) {
  return losses.map(({ writer, lost }) => `${writer} ${count(lost)}`).join(', ');
}

/** @param {Panel[]} panels @param {{binned: boolean, losing: boolean, titles: Titles}} how */
function noteOf(panels, { binned, losing, titles }) {
  const steps = [...new Set(panels.map(({ bins }) => milliseconds(bins.binMs)))].join(' or ');
  const points = binned
    ? `A point is the mean of up to ${steps}; dotted: its lowest step.`
    : `A point is a step of ${steps}.`;
  const rounds = Math.max(...panels.map(({ worst }) => worst.rounds));
  const which =
    rounds > 1
      ? `The worst of up to ${plural(rounds, 'trial')} a case: most acked writes lost, then longest outage.`
      : '';
  const cut = 'A line above its panel: a writer that catches up.';
  const trials = panels.map(({ worst }) => worst.trial);
  return [points, parts.lostNote(trials, losing), parts.widthsNote(trials, titles), cut, which, parts.MARKS_NOTE]
    .filter((part) => part !== '')
    .join(' ');
}
