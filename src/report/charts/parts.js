/**
 * Axes, legends and series that all charts share, so that they look alike: look.yaml says how.
 * @import { IntervalValue } from '../../result/schema.js' @import { ChartColumn, FormatName, Style } from './chart.js'
 */
import { readYaml } from '../../yaml.js';

/** @type {Readonly<Record<string, Record<string, any>>>} parts of options of ECharts */
export const LOOK = readYaml(new URL('look.yaml', import.meta.url));

/**
 * @param {string} name with its unit, such as `acked writes a second`
 * @param {{format: FormatName, log?: boolean, min?: number, max?: number, across?: boolean}} options across: it is horizontal, below the plot
 * @returns {Record<string, any>}
 */
export function valueAxis(name, { format, log = false, min, max, across = false }) {
  const look = across ? LOOK.across : LOOK.upright;
  return {
    ...look,
    type: log ? 'log' : 'value',
    name,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    axisLabel: { ...look.axisLabel, formatter: `@${format}` },
  };
}

/** Pixels from one lane to the next. */
const LANE = 10;
/** If values span a larger factor, a linear axis shows only the largest ones. */
const WIDE = 20;
/** A logarithmic axis with at most this number of decades has lines at 2 and 5, too. */
const FEW_DECADES = 3;

/**
 * @param {string} name @param {{format: FormatName, values: readonly number[]}} options values: those on the chart
 * @returns {Record<string, any>} as {@link valueAxis}; logarithmic, and no longer than needed, if the values span too much for a linear one
 */
export function fittedAxis(name, { format, values }) {
  const [least, most] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  // A logarithmic axis cannot show zero. The value would seem not to be measured.
  if (least <= 0 || most <= WIDE * least) return valueAxis(name, { format });
  const decades = Array.from(
    { length: Math.ceil(Math.log10(most / least)) + 2 },
    (_, i) => Math.floor(Math.log10(least)) + i,
  );
  const ticks = decades.flatMap((power) => [1, 2, 5].map((step) => Number(`${step}e${power}`)));
  const min = ticks.findLast((tick) => tick <= least) ?? ticks[0];
  const max = ticks.find((tick) => tick >= most) ?? ticks[ticks.length - 1];
  const isShort = decades.length - 2 <= FEW_DECADES;
  const customValues = ticks.filter((tick, i) => tick >= min && tick <= max && (isShort || i % 3 === 0));
  const axis = valueAxis(name, { format, log: true, min, max });
  return { ...axis, axisTick: { ...axis.axisTick, customValues }, axisLabel: { ...axis.axisLabel, customValues } };
}

/** @param {{name?: string, inverse?: boolean}} [options] inverse: of rows, the first one on top. Default: of steps, below the plot */
export function categoryAxis({ name, inverse = false } = {}) {
  return { ...(inverse ? LOOK.rows : LOOK.steps), ...(name !== undefined && { name }) };
}

/** Room for a title and a legend above, for the axis' name below. @param {{top?: number, left?: number}} [margins] in pixels, besides labels */
export const grid = ({ top = 84, left = 16 } = {}) => ({ top, bottom: 40, left, right: 24, containLabel: true });

/** @param {readonly string[]} [names] of the shown series; default: all with a name */
export const legend = (names) => ({ ...LOOK.legend, ...(names && { data: names }) });

/** @param {number} lane from 0 @param {number} lanes @returns {number} pixels beside the place of a value, so that lanes lie side by side */
const shiftOf = (lane, lanes) => LANE * (lane - (lanes - 1) / 2);

/**
 * Values with their intervals at the steps of a category axis. A line joins two neighbours only if they differ by more than their
 * intervals show, so that noise does not look like a trend.
 * @param {{name: string, x: string, style: Style, format: FormatName, lane: number, lanes: number}} line x: column of the steps; the values
 *   are in the columns that {@link intervalColumns} names
 * @param {readonly {step: string, value: IntervalValue | undefined}[]} values in order; undefined: not measured
 */
export function steppedSeries({ name, x, style, format, lane, lanes }, values) {
  const shift = shiftOf(lane, lanes);
  const joins = values.flatMap(({ step, value }, i) => {
    const next = values[i + 1];
    return value && next?.value && areApart(value, next.value)
      ? [[step, next.step, value.median, next.value.median, style.dash]]
      : [];
  });
  return [
    {
      type: 'line',
      name,
      encode: { x, y: name },
      symbol: style.symbol,
      symbolSize: 8,
      symbolOffset: [shift, 0],
      itemStyle: { color: style.color },
      lineStyle: { color: style.color, type: style.dash, width: 0 },
      tooltip: { valueFormatter: `@${format}` },
      emphasis: { focus: 'series' },
    },
    intervalSeries({ name, at: x, style, shift }),
    { ...LOOK.join, name, renderItem: `@join${shift}`, data: joins, itemStyle: { color: style.color } },
  ];
}

/** @param {IntervalValue} a @param {IntervalValue} b @returns {boolean} each median is outside the other's interval */
function areApart(a, b) {
  const within = (/** @type {IntervalValue} */ { median }, /** @type {IntervalValue} */ { low, high }) =>
    median >= low && median <= high;
  return !within(a, b) && !within(b, a);
}

/**
 * @param {{name: string, at: string, style: Style, shift: number, across?: boolean, clip?: boolean}} interval at: column of its place; across: it lies,
 *   on a chart whose rows are categories; shift: pixels beside its place
 */
function intervalSeries({ name, at, style, shift, across = false, clip = false }) {
  const ends = [`${name}, low`, `${name}, high`];
  return {
    ...LOOK.interval,
    name,
    renderItem: `@interval${across ? 'Across' : ''}${shift}`,
    encode: across ? { y: at, x: ends } : { x: at, y: ends },
    itemStyle: { color: style.color },
    clip,
  };
}

/**
 * Dots with their intervals, on a chart whose rows are categories; several have a lane each within a row.
 * @param {{name: string, at: string, style: Style, format: FormatName, lane: number, lanes: number, hollow?: boolean, clip: boolean}} dots at: column of
 *   the rows; the values are in the columns that {@link intervalColumns} names
 */
export function dotSeries({ name, at, style, format, lane, lanes, hollow = false, clip }) {
  const shift = shiftOf(lane, lanes);
  const fill = hollow ? { color: '$background', borderWidth: 2 } : { color: style.color, borderWidth: 0 };
  // The dots first: the legend shows the first one's symbol.
  return [
    {
      type: 'scatter',
      name,
      encode: { x: name, y: at },
      symbol: style.symbol,
      symbolSize: 9,
      symbolOffset: [0, shift],
      itemStyle: { opacity: 1, borderColor: style.color, ...fill },
      tooltip: { valueFormatter: `@${format}` },
      z: 4,
    },
    intervalSeries({ name, at, style, across: true, shift, clip }),
  ];
}

/** Of an axis with lines at powers of two. @param {number} most bytes, above 0 @param {number} steps at most */
export function binarySteps(most, steps) {
  const interval = 2 ** Math.ceil(Math.log2(most / steps));
  return { interval, max: interval * Math.ceil(most / interval) };
}

/** Of a value and the two ends of its interval. @param {string} name @param {FormatName} format @returns {ChartColumn[]} */
export const intervalColumns = (name, format) =>
  [name, `${name}, low`, `${name}, high`].map((column) => ({ name: column, format }));

/** @param {IntervalValue | undefined} value undefined: not measured @returns {(number | null)[]} */
export const intervalCells = (value) => (value ? [value.median, value.low, value.high] : [null, null, null]);
