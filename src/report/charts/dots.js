/**
 * Dot charts: values with intervals in rows, for cases without an order, such as clients and configurations.
 * @import { BenchmarkResult, CaseParams, IntervalValue } from '../../result/schema.js'
 * @import { Chart, FormatName, Style } from './chart.js'
 * @typedef {{name: string, style: Style, hollow?: boolean}} Dots a colour, and a lane in each row
 * @typedef {Record<'id' | 'title' | 'note' | 'rowName' | 'axis', string> & {rows: readonly string[], series: readonly Dots[],
 *   value: (row: string, series: string) => IntervalValue | undefined, format: FormatName, min?: number,
 *   max?: number, reference?: number}} DotsOptions rowName: what a row is, in words; axis: what is shown, with its unit; rows: from the top, no two
 *   are equal; series: at most four; value: undefined: not measured; min: where the axis begins at the earliest: what lies below is cut off;
 *   max: the axis reaches it at least; reference: position of a line with which all are compared
 */
import { interval } from '../../format.js';
import { clientTitle } from '../../registry/clients.js';
import { intervalNote, say } from './against.js';
import { FORMATS } from './chart.js';
import * as parts from './parts.js';
import { clientStyle } from './styles.js';

const MOST_ROWS = 60;
const LANE_PX = 11;
const ROW_GAP_PX = 14;
/** With more rows the alternative text names the highest and the lowest only. */
const FEW_ROWS = 3;
/** Title, legend and axis. */
const AROUND_PX = 140;

/** @param {DotsOptions} options @returns {Chart | null} null: too few values to compare, or too many rows to read */
export function dotChart({ id, title, note, rowName, rows, series, value, axis, format, min, max, reference }) {
  if (rows.length > MOST_ROWS) return null;
  const shown = series.filter(({ name }) => rows.some((row) => value(row, name)));
  const values = rows.flatMap((row) => shown.flatMap(({ name }) => value(row, name) ?? []));
  if (values.length < 2) return null;
  const lanes = shown.length;
  const isCut = min !== undefined && values.some(({ low, high }) => low < min || high < min);
  const [first, ...others] = shown.flatMap(({ name, style, hollow }, lane) =>
    parts.dotSeries({ name, at: rowName, style, hollow, format, lane, lanes, clip: isCut }),
  );
  const markLine = reference !== undefined && { ...parts.LOOK.reference, data: [{ xAxis: reference }] };
  return {
    id,
    title,
    alt: shown.map((each) => seriesText(rows, each, (row) => value(row, each.name), format)).join(' '),
    note: isCut ? say('cut', 'note', { note, min: FORMATS[format](min) }) : note,
    columns: [{ name: rowName }, ...shown.flatMap(({ name }) => parts.intervalColumns(name, format))],
    rows: rows.map((row) => [row, ...shown.flatMap(({ name }) => parts.intervalCells(value(row, name)))]),
    height: AROUND_PX + rows.length * (ROW_GAP_PX + LANE_PX * lanes),
    option: {
      // Without a browser widths of texts are only estimated.
      grid: parts.grid({ top: lanes > 1 ? 72 : 44, left: 36 }),
      ...(lanes > 1 && { legend: { ...parts.legend(shown.map(({ name }) => name)), itemWidth: 12, itemHeight: 12 } }),
      xAxis: parts.valueAxis(axis, { format, across: true, min: isCut ? min : undefined, max }),
      yAxis: {
        ...parts.categoryAxis({ inverse: true }),
        splitLine: { show: true, lineStyle: { color: '$line', opacity: 0.6 } },
      },
      series: [{ ...first, ...(markLine && { markLine }) }, ...others],
    },
  };
}

/**
 * The throughput of other clients or tools as a share of that of `native`.
 * @param {BenchmarkResult} benchmark whose baselines are native's cases
 * @param {(params: CaseParams) => string} shapeName the parameters that the cases vary, besides the client
 * @returns {Chart | null} null: native was not measured, or nothing else was
 */
export function shareOfNative({ name, cases }, shapeName) {
  const compared = cases.filter(({ summary }) => summary.relativeToBaseline);
  return dotChart({
    id: `${name}.share-of-native`,
    title: say('share-of-native', 'title'),
    note: say('share-of-native', 'note', { interval: intervalNote(compared) }),
    rowName: 'load',
    rows: [...new Set(compared.map(({ params }) => shapeName(params)))],
    series: [...new Set(compared.map(({ params }) => params.client))].map((client) => ({
      name: clientTitle(client),
      style: clientStyle(client),
    })),
    value: (row, client) =>
      compared.find(({ params }) => shapeName(params) === row && clientTitle(params.client) === client)?.summary
        .relativeToBaseline?.throughput,
    axis: say('share-of-native', 'axis'),
    format: 'percent',
    reference: 1,
  });
}

/** Its ends, or all of few rows. @param {readonly string[]} rows @param {Dots} series @param {(row: string) => IntervalValue | undefined} value @param {DotsOptions['format']} format */
function seriesText(rows, { name }, value, format) {
  const measured = rows.flatMap((row) => {
    const found = value(row);
    return found ? { row, found } : [];
  });
  const sorted = measured.toSorted((a, b) => b.found.median - a.found.median);
  const chosen = measured.length > FEW_ROWS ? [sorted[0], sorted[sorted.length - 1]] : measured;
  return `${name}: ${chosen.map(({ row, found }) => `${interval(found, FORMATS[format])} at ${row}`).join('; ')}.`;
}
