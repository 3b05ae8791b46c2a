/**
 * How far a replica falls behind over time when its link carries less than replication demands, beside what arithmetic says of it:
 * what is demanded, less what the link carries.
 */
import { bytes, duration } from '../format.js';
import { linkTitle } from '../link-shortfall-columns.js';
import { courseOf, linksOf } from '../link-shortfall-figures.js';
import { binarySteps, grid, legend, valueAxis } from './parts.js';
import { styleAt } from './styles.js';

/**
 * @typedef {import('../schema.js').CaseResult} CaseResult
 * @typedef {import('./types.js').Chart} Chart
 *
 * @typedef {Object} Course the first round of a case
 * @property {string} name
 * @property {import('./types.js').Style} style
 * @property {import('../link-shortfall-figures.js').Sample[]} samples
 * @property {number} slope bytes a second by which the lag should grow, 0: the link is enough
 * @property {number | null} cutAfterMs
 */

const TIME = 'since the load began';
const MS = 1000;
/** Lines across, at most. */
const STEPS = 9;
const NS_A_MS = 1e6;
const CUT = 'cut off';
const byArithmetic = (/** @type {string} */ name) => `${name}, by arithmetic`;
const cutOff = (/** @type {string} */ name) => `${name}, ${CUT}`;

/**
 * @param {import('../schema.js').BenchmarkResult} benchmark the benchmark `link-shortfall`
 * @returns {Chart[]}
 */
export function shortfallCharts({ name, cases }) {
  const courses = cases.filter(({ params }) => params.linkShare !== undefined).flatMap(courseIn);
  if (courses.length === 0) return [];
  // A block of rows a case: the gaps of one are not those of another.
  const names = courses.flatMap((each) => [each.name, byArithmetic(each.name), cutOff(each.name)]);
  const rows = courses.flatMap((course) => {
    const at = names.indexOf(course.name);
    const last = course.samples.findLastIndex(
      ({ afterMs, lagBytes }) => lagBytes !== null && afterMs < (course.cutAfterMs ?? Number.POSITIVE_INFINITY),
    );
    return course.samples.map(({ afterMs, lagBytes }, i) => {
      const expected = i <= last && course.slope > 0 ? (course.slope * afterMs) / MS : null;
      const figures = [lagBytes, expected, course.cutAfterMs !== null && i === last ? lagBytes : null];
      return [afterMs / MS, ...names.map((_, column) => figures[column - at] ?? null)];
    });
  });
  return [
    {
      id: `${name}.lag`,
      title: 'How far the replica is behind while writes go on',
      alt: courses.map(courseText).join(' '),
      note: `The first round of each case. Dashed: what is demanded less what the link carries. Cross: the primary closed the connection for its output buffer limit, scaled down for it to happen within a round; a gap: the replica is not connected, or being sent the data set.`,
      columns: [
        { name: TIME, format: 'seconds' },
        ...names.map((each) => ({ name: each, format: /** @type {const} */ ('bytes') })),
      ],
      rows,
      height: 440,
      option: {
        grid: grid({ top: 116 }),
        legend: { ...legend(courses.map((each) => each.name)), right: 12 },
        xAxis: valueAxis(TIME, { format: 'seconds', across: true, min: 0 }),
        yAxis: {
          ...valueAxis('bytes not yet processed', { format: 'bytes', min: 0 }),
          ...binarySteps(mostBehind(courses), STEPS),
        },
        series: courses.flatMap(seriesOf),
      },
    },
  ];
}

/**
 * @param {CaseResult} one
 * @param {number} index
 * @returns {Course[]} none: it was not looked at over time
 */
function courseIn(one, index) {
  const link = linksOf(one).find(({ samples = [] }) => samples.filter(({ lagBytes }) => lagBytes !== null).length > 1);
  if (!link) return [];
  const { samples = [], demandBytesPerSecond, limitBytesPerSecond } = link;
  const slope = limitBytesPerSecond === undefined ? 0 : Math.max(0, demandBytesPerSecond - limitBytesPerSecond);
  return [{ name: linkTitle(one), style: styleAt(index), samples, slope, cutAfterMs: courseOf(link).cutAfterMs }];
}

/** @param {readonly Course[]} courses */
function mostBehind(courses) {
  const lags = courses.flatMap(({ samples }) => samples.map(({ lagBytes }) => lagBytes ?? 0));
  return lags.reduce((a, b) => Math.max(a, b), 1);
}

/** @param {Course} course */
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
      encode: { x: TIME, y: cutOff(name) },
      symbol: 'path://M0,0L10,10M10,0L0,10',
      symbolSize: 14,
      itemStyle: { color: 'transparent', borderColor: style.color, borderWidth: 3 },
      z: 5,
    },
  ];
}

/** @param {Course} course */
function courseText({ name, samples, slope, cutAfterMs }) {
  const most = Math.max(0, ...samples.flatMap(({ lagBytes }) => lagBytes ?? []));
  const cut = cutAfterMs === null ? 'never cut off' : `cut off after ${duration(cutAfterMs * NS_A_MS)}`;
  const expected = slope > 0 ? `, ${bytes(slope)} a second by arithmetic` : '';
  return `${name}: at most ${bytes(most)} behind${expected}, ${cut}.`;
}
