/**
 * The charts of the benchmark `link-shortfall`: how far the replica is behind over time, compared with arithmetic (demand minus cap).
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { Sample } from './shortfall-figures.js'
 */

import { bytes, compress, duration, NO_BLOCK, sparkline } from '../../src/format.js';
import { code, heading, list, text } from '../../src/report/blocks.js';
import { binarySteps, grid, legend, valueAxis } from '../../src/report/charts/parts.js';
import { styleAt } from '../../src/report/charts/styles.js';
import { MS_A_SECOND, NS_A_MS } from '../../src/units.js';
import { DEFAULT_LIMIT, limitText, linksOf, linkTitle, timelineOf } from './shortfall-figures.js';

/** @import { Style } from '../../src/report/charts/chart.js' */

/**
 * @typedef {Object} Timeline the first round of a case
 * @property {string} name
 * @property {Style} style
 * @property {Sample[]} samples
 * @property {number} slope bytes a second by which the lag should grow, 0: the link is enough
 * @property {number | null} disconnectedAfterMs
 */

const TIME = 'since the load began';
/** Grid lines, at most. */
const STEPS = 9;
const byArithmetic = (/** @type {string} */ name) => `${name}, by arithmetic`;
const lostLink = (/** @type {string} */ name) => `${name}, disconnected`;

/**
 * @param {BenchmarkResult} benchmark the benchmark `link-shortfall`
 * @returns {Chart[]}
 */
export function shortfallCharts({ name, cases }) {
  const timelines = cases.filter(({ params }) => params.linkShare !== undefined).flatMap(timelineIn);
  if (timelines.length === 0) return [];
  // A block of rows for each case: cases have gaps at different times.
  const names = timelines.flatMap((each) => [each.name, byArithmetic(each.name), lostLink(each.name)]);
  const rows = timelines.flatMap((timeline) => {
    const at = names.indexOf(timeline.name);
    const last = timeline.samples.findLastIndex(
      ({ afterMs, lagBytes }) =>
        lagBytes !== null && afterMs < (timeline.disconnectedAfterMs ?? Number.POSITIVE_INFINITY),
    );
    return timeline.samples.map(({ afterMs, lagBytes }, i) => {
      const expected = i <= last && timeline.slope > 0 ? (timeline.slope * afterMs) / MS_A_SECOND : null;
      const figures = [lagBytes, expected, timeline.disconnectedAfterMs !== null && i === last ? lagBytes : null];
      return [afterMs / MS_A_SECOND, ...names.map((_, column) => figures[column - at] ?? null)];
    });
  });
  return [
    {
      id: `${name}.lag`,
      title: 'How far the replica is behind while writes go on',
      alt: timelines.map(timelineText).join(' '),
      note: `The first round of each case. Dashed: demand minus what the link carries. Cross: the primary closed the connection because the output buffer limit, scaled down for a short round, was reached. Gap: the replica is not connected, or receives the whole data set.`,
      columns: [
        { name: TIME, format: 'seconds' },
        ...names.map((each) => ({ name: each, format: /** @type {const} */ ('bytes') })),
      ],
      rows,
      height: 440,
      option: {
        grid: grid({ top: 116 }),
        legend: { ...legend(timelines.map((each) => each.name)), right: 12 },
        xAxis: valueAxis(TIME, { format: 'seconds', across: true, min: 0 }),
        yAxis: {
          ...valueAxis('bytes not yet processed', { format: 'bytes', min: 0 }),
          ...binarySteps(mostBehind(timelines), STEPS),
        },
        series: timelines.flatMap(seriesOf),
      },
    },
  ];
}

/**
 * @param {CaseResult} one
 * @param {number} index
 * @returns {Timeline[]} empty without samples
 */
function timelineIn(one, index) {
  const link = linksOf(one).find(({ samples = [] }) => samples.filter(({ lagBytes }) => lagBytes !== null).length > 1);
  if (!link) return [];
  const { samples = [], demandBytesPerSecond, limitBytesPerSecond } = link;
  const slope = limitBytesPerSecond === undefined ? 0 : Math.max(0, demandBytesPerSecond - limitBytesPerSecond);
  return [
    {
      name: linkTitle(one),
      style: styleAt(index),
      samples,
      slope,
      disconnectedAfterMs: timelineOf(link).disconnectedAfterMs,
    },
  ];
}

/** @param {readonly Timeline[]} timelines */
function mostBehind(timelines) {
  const lags = timelines.flatMap(({ samples }) => samples.map(({ lagBytes }) => lagBytes ?? 0));
  return lags.reduce((a, b) => Math.max(a, b), 1);
}

/** @param {Timeline} timeline */
function seriesOf({ name, style }) {
  const line = { type: 'line', name, itemStyle: { color: style.color }, tooltip: { valueFormatter: '@bytes' } };
  return [
    {
      ...line,
      encode: { x: TIME, y: name },
      symbol: style.symbol,
      symbolSize: 5,
      lineStyle: { color: style.color, width: 2 },
    },
    {
      ...line,
      encode: { x: TIME, y: byArithmetic(name) },
      symbol: 'none',
      lineStyle: { color: style.color, type: 'dashed', width: 1.5, opacity: 0.8 },
    },
    {
      ...line,
      type: 'scatter',
      encode: { x: TIME, y: lostLink(name) },
      symbol: 'path://M0,0L10,10M10,0L0,10',
      symbolSize: 14,
      itemStyle: { color: 'transparent', borderColor: style.color, borderWidth: 3 },
      z: 5,
    },
  ];
}

/** @param {Timeline} timeline */
function timelineText({ name, samples, slope, disconnectedAfterMs }) {
  const most = Math.max(0, ...samples.flatMap(({ lagBytes }) => lagBytes ?? []));
  const cut =
    disconnectedAfterMs === null
      ? 'never disconnected'
      : `disconnected after ${duration(disconnectedAfterMs * NS_A_MS)}`;
  const expected = slope > 0 ? `, ${bytes(slope)} a second by arithmetic` : '';
  return `${name}: at most ${bytes(most)} behind${expected}, ${cut}.`;
}

/** Characters of a chart; with more samples each column holds several. */
const MOST_COLUMNS = 72;

/** If a column holds several samples, the first state that applies is shown. @type {[Sample['state'], string][]} */
const STATES = [
  ['away', '×'],
  ['syncing', '~'],
  ['online', '-'],
];

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Block[]} how the rounds went; empty without samples
 */
export function shortfallDetails({ cases }) {
  const shown = cases.flatMap((result) => {
    const samples = linksOf(result)[0]?.samples ?? [];
    return samples.length < 2 ? [] : [{ result, samples }];
  });
  if (shown.length === 0) return [];
  const most = (/** @type {(sample: Sample) => number | null} */ pick) =>
    Math.max(1, ...shown.flatMap(({ samples }) => samples.map((sample) => pick(sample) ?? 0)));
  const full = { lag: most(({ lagBytes }) => lagBytes), buffer: most(({ bufferBytes }) => bufferBytes) };
  return [
    heading(3, 'How the rounds went'),
    text(
      `The first round of each case, until the promotion. lag: bytes that the replica had not processed; a full block is ${bytes(full.lag)}; ` +
        `buffer: the sender’s output buffer for the replica; a full block is ${bytes(full.buffer)}; ${NO_BLOCK} zero or not known; replica: ${stateWords()}.`,
    ),
    code(shown.map(({ result, samples }) => sparklines(result, samples, full)).join('\n\n')),
    list(notes(shown.map(({ result }) => result))),
  ];
}

function stateWords() {
  const words = { away: 'not connected', syncing: 'receiving the whole data set', online: 'connected' };
  return STATES.map(([state, mark]) => `${mark} ${words[state]}`).join(', ');
}

/**
 * @param {CaseResult} result
 * @param {readonly Sample[]} samples
 * @param {{lag: number, buffer: number}} full
 */
function sparklines(result, samples, full) {
  const width = Math.ceil(samples.length / MOST_COLUMNS);
  const line = (/** @type {(sample: Sample) => number | null} */ pick, /** @type {number} */ top) =>
    sparkline(
      compress(
        samples.map((sample) => pick(sample) ?? 0),
        width,
      ),
      top,
    );
  const each = (samples[samples.length - 1].afterMs / (samples.length - 1)) * width;
  return [
    `${linkTitle(result)} (${duration(each * NS_A_MS)} a character)`,
    `  lag     ${line(({ lagBytes }) => lagBytes, full.lag)}`,
    `  buffer  ${line(({ bufferBytes }) => bufferBytes, full.buffer)}`,
    `  replica ${stateLine(samples, width)}`,
  ].join('\n');
}

/**
 * @param {readonly Sample[]} samples
 * @param {number} width
 */
function stateLine(samples, width) {
  let line = '';
  for (let start = 0; start < samples.length; start += width) {
    const group = samples.slice(start, start + width);
    line += STATES.find(([state]) => group.some((sample) => sample.state === state))?.[1] ?? ' ';
  }
  return line;
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {string[]}
 */
function notes(cases) {
  const links = cases.flatMap(linksOf);
  const by = [...new Set(links.flatMap((link) => link.by ?? []))];
  const limits = [...new Set(links.flatMap(({ outputLimit }) => (outputLimit ? [limitText(outputLimit)] : [])))];
  const { hardBytes, softBytes, softSeconds } = DEFAULT_LIMIT;
  return [
    ...(limits.length > 0
      ? [
          `The output buffer limit of replicas was scaled down to be reached within a round: ${limits.join('; ')}. Redis’s default is ${bytes(hardBytes)}, or ${bytes(softBytes)} for ${softSeconds} s.`,
        ]
      : []),
    ...(by.length > 0 ? [`The link was shaped by: ${by.join(', ')}.`] : []),
    'A share of demand counts payload: neither demand nor cap include TCP and IP headers. A distant link only adds delay here; a real one also loses packets, and TCP then sends less.',
    'Largest lag, in parentheses: as seconds of writing. Lag in INFO: the highest `lag` of the sender, seconds since the replica last acknowledged.',
    'Missed when back: how far the stream was ahead when the replica asked for a partial resync; at the first refusal, else the largest.',
    'The output buffer is `omem` of CLIENT LIST, which the limit applies to; `mem_clients_slaves` shows only what exceeds the backlog. The sender’s memory also grows by the keys.',
    'The audit after the promotion excludes writes with WAIT and writes acknowledged after the link was cut. A write acknowledged in the milliseconds of cutting counts.',
  ];
}
