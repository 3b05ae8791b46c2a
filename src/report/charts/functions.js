/**
 * The functions that charts name: for numbers on axes, in tooltips and tables, and for what ECharts does not draw by itself.
 * The page uses it as it stands, after format.js.
 */
import { bitRate, bytes, count, duration, percent, rate } from '../format.js';

const MOST_DECIMALS = 3;
/** Pixels that an interval may lie beside its place, where several have the same: `interval-5` and `intervalAcross10` are functions. */
const SHIFTS = [-15, -10, -9, -6, -5, -3, 3, 5, 6, 9, 10, 15];

/**
 * How the numbers of a column are read.
 *
 * @type {Readonly<Record<'rate' | 'duration' | 'milliseconds' | 'seconds' | 'percent' | 'bytes' | 'bitRate' | 'count' | 'times' | 'percentile' | 'cpu' | 'number', (value: number) => string>>}
 */
export const FORMATS = Object.freeze({
  /** operations a second */
  rate,
  /** nanoseconds */
  duration,
  milliseconds: (ms) => duration(ms * 1e6),
  seconds: (s) => `${Number(s.toFixed(MOST_DECIMALS))} s`,
  /** a share, 1 is everything */
  percent,
  bytes,
  /** bytes a second */
  bitRate,
  count,
  /** a ratio */
  times: (ratio) => `${Number(ratio.toPrecision(3))}×`,
  /** 1 / (1 − percentile / 100), as HdrHistogram plots have it on their axis: 10 is 90%, 1,000 is 99.9% */
  percentile: (x) => `${Number((100 * (1 - 1 / x)).toPrecision(7))}%`,
  /** CPU seconds a second: 1 is a CPU */
  cpu: (cpus) => `${Math.round(100 * cpus)}%`,
  number: (value) => String(Number(value.toPrecision(4))),
});

/**
 * What ECharts takes as a function. Those of {@link FORMATS} serve as formatters of axes and of values; null is a figure that is missing.
 */
export const FUNCTIONS = Object.freeze({
  ...Object.fromEntries(
    Object.entries(FORMATS).map(([name, format]) => [
      name,
      (/** @type {unknown} */ value) => (typeof value === 'number' ? format(value) : '–'),
    ]),
  ),
  interval: drawInterval(false),
  intervalAcross: drawInterval(true),
  ...Object.fromEntries(
    SHIFTS.flatMap((shift) => [
      [`interval${shift}`, drawInterval(false, shift)],
      [`intervalAcross${shift}`, drawInterval(true, shift)],
    ]),
  ),
});

/**
 * A custom series' item: a line from the low to the high end of an interval, with caps. `encode`: upright `{x, y: [low, high]}`,
 * across `{y, x: [low, high]}`.
 *
 * @param {boolean} across
 * @param {number} [shift] in pixels: upright to the right, across downwards
 * @returns {(params: any, api: any) => any}
 */
function drawInterval(across, shift = 0) {
  const cap = 4;
  return (params, api) => {
    const { x, y } = params.encode;
    const [at, low, high] = (across ? [...y, ...x] : [...x, ...y]).map((dimension) => api.value(dimension));
    if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
    const [from, to] = [low, high].map((value) => {
      const [px, py] = api.coord(across ? [value, at] : [at, value]);
      return across ? [px, py + shift] : [px + shift, py];
    });
    // Zero has no place on a logarithmic axis.
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
