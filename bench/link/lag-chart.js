/** The chart of the benchmark `link-shortfall`: how far the replica is behind over time, compared with arithmetic (demand minus cap). */
/** @import { BenchmarkResult, CaseResult, Chart } from '../types.js' */
/** @import { Style } from '../../src/report/charts/chart.js' */
/** @import { LinkFigures } from './document.js' */
import { bytes } from '../../src/format.js';
import { binarySteps, grid, legend, valueAxis } from '../../src/report/charts/parts.js';
import { styleAt } from '../../src/report/charts/styles.js';
import { MS_A_SECOND } from '../../src/units.js';
import { linksOf, linkTitle } from './figures.js';

/**
 * @typedef {Object} Timeline the first round of a case
 * @property {string} name
 * @property {Style} style
 * @property {NonNullable<LinkFigures['samples']>} samples
 * @property {number} slope bytes a second by which the lag should grow, 0: the link is enough
 * @property {number} lastOnline index of the last sample before the first disconnection; -1: there was none
 */

const TIME = 'since the load began';
const STEPS = 9;
const byArithmetic = (/** @type {string} */ name) => `${name}, by arithmetic`;
const lostLink = (/** @type {string} */ name) => `${name}, disconnected`;

/** @param {BenchmarkResult} benchmark @returns {Chart[]} */
export function lagCharts({ name, cases }) {
  const timelines = cases.filter(({ params }) => params.linkShare !== undefined).flatMap(timelineIn);
  if (timelines.length === 0) return [];
  const names = timelines.flatMap((each) => [each.name, byArithmetic(each.name), lostLink(each.name)]);
  const most = Math.max(1, ...timelines.map(mostBehind));
  const [worst] = timelines.toSorted((a, b) => mostBehind(b) - mostBehind(a));
  return [
    {
      id: `${name}.lag`,
      title: 'How far the replica is behind while writes go on',
      alt: `Most, ${bytes(mostBehind(worst))}, with ${worst.name}.`,
      note: 'Dashed: demand minus what the link carries. Cross: the primary closed the connection.',
      columns: [
        { name: TIME, format: 'seconds' },
        ...names.map((each) => ({ name: each, format: /** @type {const} */ ('bytes') })),
      ],
      rows: timelines.flatMap((timeline) => rowsOf(timeline, names)),
      height: 440,
      option: {
        grid: grid({ top: 116 }),
        legend: { ...legend(timelines.map((each) => each.name)), right: 12 },
        xAxis: valueAxis(TIME, { format: 'seconds', across: true, min: 0 }),
        yAxis: { ...valueAxis('bytes not yet processed', { format: 'bytes', min: 0 }), ...binarySteps(most, STEPS) },
        series: timelines.flatMap(seriesOf),
      },
    },
  ];
}

/** @param {CaseResult} one @param {number} index @returns {Timeline[]} empty without samples */
function timelineIn(one, index) {
  const link = linksOf(one).find(({ samples = [] }) => samples.filter(({ lagBytes }) => lagBytes !== null).length > 1);
  if (!link) return [];
  const { samples = [], demandBytesPerSecond, limitBytesPerSecond = demandBytesPerSecond } = link;
  const slope = Math.max(0, demandBytesPerSecond - limitBytesPerSecond);
  const lost = samples.findIndex(({ state }) => state !== 'online');
  const lastOnline = lost === -1 ? -1 : samples.slice(0, lost).findLastIndex(({ lagBytes }) => lagBytes !== null);
  return [{ name: linkTitle(one), style: styleAt(index), samples, slope, lastOnline }];
}

/** @param {Timeline} timeline @returns {number} bytes */
const mostBehind = ({ samples }) => Math.max(0, ...samples.map(({ lagBytes }) => lagBytes ?? 0));

/** A block of rows for each case: cases have gaps at different times. @param {Timeline} timeline @param {readonly string[]} names of columns */
function rowsOf({ name, samples, slope, lastOnline }, names) {
  const at = names.indexOf(name);
  const end = lastOnline === -1 ? samples.length - 1 : lastOnline;
  return samples.map(({ afterMs, lagBytes }, i) => {
    const expected = slope > 0 && i <= end ? (slope * afterMs) / MS_A_SECOND : null;
    const figures = [lagBytes, expected, i === lastOnline ? lagBytes : null];
    return [afterMs / MS_A_SECOND, ...names.map((_, column) => figures[column - at] ?? null)];
  });
}

/** @param {Timeline} timeline */
function seriesOf({ name, style: { color, symbol } }) {
  const line = { type: 'line', name, itemStyle: { color }, tooltip: { valueFormatter: '@bytes' } };
  return [
    { ...line, encode: { x: TIME, y: name }, symbol, symbolSize: 5, lineStyle: { color, width: 2 } },
    {
      ...line,
      encode: { x: TIME, y: byArithmetic(name) },
      symbol: 'none',
      lineStyle: { color, type: 'dashed', width: 1.5, opacity: 0.8 },
    },
    {
      ...line,
      type: 'scatter',
      encode: { x: TIME, y: lostLink(name) },
      symbol: 'path://M0,0L10,10M10,0L0,10',
      symbolSize: 14,
      itemStyle: { color: 'transparent', borderColor: color, borderWidth: 3 },
      z: 5,
    },
  ];
}
