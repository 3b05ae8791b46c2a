/** What a chart is, and how it becomes an option of ECharts. The page in the browser uses this file, too. */

import { ALL, bytes, count, duration, percent, rate, shorten } from '../../format.js';
import { NS_A_MS } from '../../units.js';

/**
 * @typedef {keyof typeof FORMATS} FormatName
 * @typedef {string | number | null} Cell null: not measured, or no such value
 * @typedef {{name: string, format?: FormatName}} ChartColumn a column of the chart's data. name: unique in the chart; series refer to it in
 *   `encode`; format: how its numbers are read; absent: as text
 * @typedef {Object} Chart
 * @property {string} id unique in a report and fit for a file name, such as `pipeline.throughput`
 * @property {string} title what the chart shows, not its conclusion: `Throughput by pipeline depth`
 * @property {string} alt for readers who do not see it: one to three sentences, computed from the figures
 * @property {string} [note] how to read it, if that is not obvious
 * @property {readonly ChartColumn[]} columns @property {readonly (readonly Cell[])[]} rows the data, which the page shows as a table, too
 * @property {Readonly<Record<string, any>>} option for ECharts, without `dataset`, `title` and what {@link finishOption}
 *   adds; its series refer to columns by name
 * @property {number} height in CSS pixels, for a width of {@link WIDTH}
 * @typedef {{color: `$${string}`, symbol: 'circle' | 'rect' | 'triangle' | 'diamond', dash: 'solid' | 'dashed' | 'dotted'}} Style how a
 *   case, a client or a writer looks in the whole report. color: with the name of a colour in palettes.yaml
 */

/** Width of the SVG files in CSS pixels: that of a column of text on GitHub. */
export const WIDTH = 860;

/** In place of seconds or milliseconds, which would only say how long the trial ran: everything that was written before the fault is lost. */
export const EVERYTHING = 1e9;

/**
 * Formats of the numbers in a column. rate: operations a second; duration: nanoseconds; loss: seconds of lost writes, or {@link EVERYTHING};
 * outage: seconds without an acknowledgement, or {@link EVERYTHING}; percent: of a share, 1 is everything
 * @satisfies {Readonly<Record<string, (value: number) => string>>}
 */
export const FORMATS = Object.freeze({
  ...{ rate, duration, seconds, percent, bytes, count },
  milliseconds: (/** @type {number} */ ms) => duration(ms * NS_A_MS),
  loss: (/** @type {number} */ s) => (s === EVERYTHING ? ALL : seconds(s)),
  outage: (/** @type {number} */ s) => (s === EVERYTHING ? 'to the end' : seconds(s)),
  number: (/** @type {number} */ value) => String(Number(value.toPrecision(4))),
});

/** @param {number} s */
function seconds(s) {
  return `${Number(s.toFixed(3))} s`;
}

/** A label of a heat map, whose fourth column is what a square shows. @param {{value: Cell[]}} square */
const squareLabel = ({ value: [, , , shown] }) => (shown === ALL ? `{all|${ALL}}` : shown);

/**
 * What ECharts takes as a function: one of {@link FORMATS} for axes and values, where null is a missing figure; `square`; and what draws an
 * item of a custom series, such as `interval-5`, `intervalAcross10` or `join0`, moved aside by so many pixels.
 * @param {string} name @returns {Function | undefined}
 */
function functionNamed(name) {
  if (name === 'square') return squareLabel;
  if (Object.hasOwn(FORMATS, name)) {
    const format = FORMATS[/** @type {FormatName} */ (name)];
    return (/** @type {unknown} */ value) => (typeof value === 'number' ? format(value) : '–');
  }
  const [, item, shift] = /^(interval|intervalAcross|join)(-?\d*)$/.exec(name) ?? [];
  if (item === undefined) return undefined;
  return item === 'join' ? drawJoin(Number(shift)) : drawInterval(item === 'intervalAcross', Number(shift));
}

/**
 * A custom series' item: a line from the low to the high end of an interval, with caps. `encode`: upright `{x, y: [low, high]}`,
 * across `{y, x: [low, high]}`.
 * @param {boolean} across @param {number} shift in pixels: upright to the right, across downwards @returns {(params: any, api: any) => any}
 */
function drawInterval(across, shift) {
  const cap = 4;
  return (params, api) => {
    const { x, y } = params.encode;
    const [at, low, high] = (across ? [...y, ...x] : [...x, ...y]).map((dimension) => api.value(dimension));
    if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
    const [from, to] = [low, high].map((value) => {
      const [px, py] = api.coord(across ? [value, at] : [at, value]);
      return across ? [px, py + shift] : [px + shift, py];
    });
    // A logarithmic axis cannot show zero.
    if (![...from, ...to].every(Number.isFinite)) return null;
    const style = { stroke: api.visual('color'), lineWidth: 1.5, fill: 'none' };
    const line = (/** @type {number[]} */ a, /** @type {number[]} */ b) => ({
      type: 'line',
      shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] },
      style,
    });
    const [dx, dy] = across ? [0, cap] : [cap, 0];
    const end = (/** @type {number[]} */ [x, y]) => line([x - dx, y - dy], [x + dx, y + dy]);
    return { type: 'group', children: [line(from, to), end(from), end(to)] };
  };
}

/** Lengths of dashes and gaps in pixels. @type {Readonly<Record<Style['dash'], number[] | undefined>>} */
const DASHES = Object.freeze({ solid: undefined, dashed: [7, 5], dotted: [2, 4] });

/** A custom series’ item: a line between the values of two categories. @param {number} shift in pixels @returns {(params: any, api: any) => any} */
function drawJoin(shift) {
  return (_, api) => {
    const [at, next, from, to] = [0, 1, 2, 3].map((dimension) => api.value(dimension));
    const dash = /** @type {Style['dash']} */ (api.value('dash'));
    const [[x1, y1], [x2, y2]] = [api.coord([at, from]), api.coord([next, to])];
    const style = { stroke: api.visual('color'), lineWidth: 2, lineDash: DASHES[dash], fill: 'none' };
    return { type: 'line', shape: { x1: x1 + shift, y1, x2: x2 + shift, y2 }, style };
  };
}

// Without quotation marks, because ECharts writes it into an attribute of the SVG.
export const FONT = 'system-ui, -apple-system, Segoe UI, Noto Sans, Helvetica, Arial, sans-serif';

/**
 * @param {Pick<Chart, 'title' | 'columns' | 'rows' | 'option'>} chart
 * @param {{colourOf: (name: string) => string | undefined, alone: boolean}} options colourOf: of a theme. alone: a picture with a title
 *   and a background, which a page provides itself
 * @returns {Record<string, any>} a new option for ECharts
 */
export function finishOption(chart, { colourOf, alone }) {
  const option = {
    animation: false,
    textStyle: { fontFamily: FONT, color: '$ink' },
    ...chart.option,
    tooltip: {
      trigger: 'axis',
      confine: true,
      backgroundColor: '$background',
      borderColor: '$line',
      textStyle: { color: '$ink' },
      ...chart.option.tooltip,
    },
    dataset: { dimensions: chart.columns.map(({ name }) => name), source: chart.rows },
    ...(alone && {
      backgroundColor: '$background',
      title: { text: chart.title, left: 12, top: 10, textStyle: { color: '$ink', fontSize: 15, fontWeight: 600 } },
      series: [chart.option.series].flat().map((series) => ({ ...series, emphasis: { disabled: true } })),
    }),
  };
  return resolve(option, colourOf);
}

/** With functions and colours in place of their names. @param {any} value @param {(name: string) => string | undefined} colourOf @returns {any} */
function resolve(value, colourOf) {
  if (typeof value === 'string') {
    // A text that is not such a name stays text.
    if (value.startsWith('$')) return colourOf(value.slice(1)) ?? value;
    return value.startsWith('@') ? (functionNamed(value.slice(1)) ?? value) : value;
  }
  if (Array.isArray(value)) return value.map((each) => resolve(each, colourOf));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key === 'dataset' ? each : resolve(each, colourOf)]),
  );
}

/** Longer texts are hard to follow in a screen reader. The tables have the figures. */
const ALT_CHARACTERS = 150;

/**
 * @param {Pick<Chart, 'alt'> & {title?: string}} chart title: left out where it is shown as text beside the chart
 * @returns {string} at most 150 characters
 */
export function altText({ title, alt }) {
  return shorten(title === undefined ? alt : `${title}. ${alt}`, ALT_CHARACTERS);
}
