/**
 * What a reader chose: one mode, one fault. A fault with its lengths and a mode with its settings are one choice each.
 * @import { DrawnChart } from './figures.js'
 */

/** Titles of the columns by which tables and charts tell them apart. */
export const COLUMNS = Object.freeze({ mode: ['mode'], fault: ['fault', 'scenario'] });

/** @typedef {keyof typeof COLUMNS} FilterName @typedef {{what: FilterName, value: string}} Chosen */

/**
 * @param {string} text such as `WAIT 1 (by runbook)`, `partition with a replica, for 30 s`
 * @returns {string} without what varies, and without the characters that keep words and figures together
 */
export function baseOf(text) {
  return text
    .replaceAll('\u2060', '')
    .replaceAll('\u00a0', ' ')
    .split(/, | \(/)[0]
    .trim();
}

/** Only the chosen rows or lines, where it has them. @param {DrawnChart} chart @param {readonly Chosen[]} chosen */
export function narrowChart(chart, chosen) {
  return chosen.reduce(narrowTo, chart);
}

/** @param {DrawnChart} chart @param {Chosen} chosen @returns {DrawnChart} */
function narrowTo(chart, { what, value }) {
  const { option } = chart;
  const column = chart.columns.findIndex(({ name }) => COLUMNS[what].includes(name));
  const rows = chart.rows.filter((row) => baseOf(String(row[column])) === value);
  const series = [option.series ?? []].flat();
  const isChosen = (/** @type {{name?: string}} */ { name }) => name !== undefined && baseOf(name) === value;
  if (rows.length === 0)
    return series.some(isChosen) ? { ...chart, option: { ...option, series: series.filter(isChosen) } } : chart;
  const names = new Set(rows.map((row) => String(row[column])));
  const narrow = (/** @type {any} */ axis) =>
    axis.data?.some((/** @type {string} */ name) => names.has(name))
      ? { ...axis, data: axis.data.filter((/** @type {string} */ name) => names.has(name)) }
      : axis;
  const axes = ['xAxis', 'yAxis'].filter((each) => option[each] !== undefined);
  const narrowed = axes.map((each) => [
    each,
    Array.isArray(option[each]) ? option[each].map(narrow) : narrow(option[each]),
  ]);
  return { ...chart, rows, option: { ...option, ...Object.fromEntries(narrowed) } };
}
