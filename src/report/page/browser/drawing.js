/**
 * Draws one chart on the page, fitted to its width.
 * @import { Chart } from '../../charts/chart.js' @import { Chosen } from './choice.js' @import { DrawnChart } from './figures.js'
 * @typedef {(chosen: readonly Chosen[]) => void} Redraw in the present theme and width, with what was chosen; keeps hidden series
 */
import { finishOption } from '../../charts/chart.js';
import { narrowChart } from './choice.js';
import { fillLegend, legendEntries } from './legend.js';

/** @param {DrawnChart} chart @param {{place: HTMLElement, legend: HTMLElement, chosen: readonly Chosen[]}} page legend: to be filled */
export function draw(chart, { place, legend, chosen }) {
  const heightNow = () => heightAt(chart, place.clientWidth);
  place.style.minWidth = `${leastWidth(chart)}px`;
  const echarts = /** @type {any} */ (globalThis).echarts;
  const instance = echarts.init(place, null, { renderer: 'svg', height: heightNow() });
  const dispatch = (/** @type {Record<string, any>} */ action) => instance.dispatchAction(action);
  /** @type {Redraw} */
  const redraw = (wanted) => {
    const selected = instance.getOption()?.legend?.[0]?.selected ?? {};
    const height = heightNow();
    place.style.height = `${height}px`;
    instance.resize({ width: place.clientWidth, height });
    const option = fitOption(finishOption(narrowChart(chart, wanted), { colourOf, alone: false }), place.clientWidth);
    if (option.legend) option.legend = [option.legend].flat().map((each) => ({ ...each, show: false, selected }));
    instance.setOption(option, true);
    fillLegend(legend, legendEntries(option), {
      selected,
      toggle: (name) => dispatch({ type: 'legendToggleSelect', name }),
      point: (name) => dispatch(name === null ? { type: 'downplay' } : { type: 'highlight', seriesName: name }),
    });
  };
  redraw(chosen);
  return redraw;
}

/** @param {string} name @returns {string | undefined} of the theme in use: the page has its colours as custom properties */
function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || undefined;
}

/** Height of the title and legend of a picture, which the page shows outside of the chart, in CSS pixels. */
const TITLE_HEIGHT = 32;
const LEGEND_HEIGHT = 20;
/** The least useful width of a plot, in CSS pixels. */
const PLOT_WIDTH = 240;
/** Between plots that a narrow drawing has one below the other: the axis of the upper one, in CSS pixels. */
const BETWEEN = 64;
/** The place of such a plot, which leaves room for the names of its rows. */
const BELOW = Object.freeze({ left: '38%', width: '52%' });
/** Names of rows on a narrow drawing: their share of its width, and their lines and letters in CSS pixels. */
const NAMES_SHARE = 0.36;
const LINE = 13;
const LETTER = 7;
/** What the legend and the axis of a chart take of its height, in CSS pixels. */
const AROUND = 140;
/** The name of a horizontal axis is right-aligned below its labels. */
const NAME_AT_THE_END = Object.freeze({
  nameLocation: 'end',
  nameGap: 0,
  nameTextStyle: Object.freeze({ align: 'right', verticalAlign: 'top', padding: [24, 0, 0, 0] }),
});
/** Narrower drawings have smaller margins and shorter labels. In CSS pixels. */
const NARROW = 560;

/** @param {Record<string, any>} option finished @param {number} width in CSS pixels */
function fitOption(option, width) {
  const narrow = width < NARROW;
  const raise = (/** @type {any} */ part) =>
    typeof part.top === 'number' ? { ...part, top: Math.max(0, part.top - spareHeight(option)) } : part;
  const axis = (/** @type {any} */ each) => (narrow ? fitAxis(each, width) : each);
  return {
    ...option,
    ...(option.grid && { grid: fitGrids(onEach(option.grid, raise), narrow) }),
    // Close to the title, because the names of columns below it may have four lines.
    ...(option.visualMap && { visualMap: onEach(option.visualMap, (each) => ({ ...each, top: 0, padding: 0 })) }),
    ...(option.title && { title: onEach(option.title, raise) }),
    ...(option.xAxis && { xAxis: onEach(option.xAxis, axis) }),
    ...(option.yAxis && { yAxis: onEach(option.yAxis, (each) => named(axis(each), narrow && areBeside(option.grid))) }),
    ...(option.series && { series: onEach(option.series, (each) => (narrow ? fitSeries(each, width) : each)) }),
  };
}

/** @param {DrawnChart} chart @returns {number} least width in CSS pixels; narrower places scroll. A plot needs room for more than its margins */
function leastWidth({ option }) {
  const margins = [option.grid ?? []].flat().map(({ containLabel, left, right }) => {
    const fixed = containLabel ? [] : [left, right].filter((margin) => typeof margin === 'number');
    return fixed.reduce((sum, margin) => sum + margin, PLOT_WIDTH);
  });
  return Math.max(0, ...margins);
}

/** @param {DrawnChart} chart @param {number} width in CSS pixels @returns {number} height in CSS pixels */
function heightAt({ option, rows, height }, width) {
  const chartHeight = height - spareHeight(option);
  if (width >= NARROW) return chartHeight;
  const below = areBeside(option.grid) ? option.grid.slice(1) : [];
  const more = below.map((/** @type {{height: number}} */ grid) => grid.height + BETWEEN);
  const added = [...more, nameRoom(option, rows, { height, width })];
  return added.reduce((/** @type {number} */ sum, /** @type {number} */ each) => sum + each, chartHeight);
}

/** Height that names of several lines need on a phone. @param {Chart['option']} option @param {Chart['rows']} rows @param {{height: number, width: number}} size in CSS pixels */
function nameRoom({ grid, yAxis }, rows, { height, width }) {
  const labels = yAxis?.type === 'category' ? labelWidth(yAxis.axisLabel?.width, width) : null;
  if (!grid?.containLabel || labels === null || rows.length === 0) return 0;
  const lines = rows.map(([name]) => Math.ceil((String(name).length * LETTER) / labels));
  const needed = Math.max(...lines.map((lineCount, i) => ((lineCount + (lines[i + 1] ?? 0)) / 2) * LINE + LINE / 2));
  return Math.max(0, Math.round(rows.length * needed - (height - AROUND)));
}

/** Null: not limited. @param {unknown} namesWidth of the names of rows, in CSS pixels @param {number} width of the drawing @returns {number | null} */
function labelWidth(namesWidth, width) {
  return typeof namesWidth === 'number' ? Math.min(namesWidth, Math.round(NAMES_SHARE * width)) : null;
}

/** @param {any} grid @returns {boolean} several plots side by side */
function areBeside(grid) {
  return Array.isArray(grid) && grid.length > 1 && grid.every(({ top }) => top === grid[0].top);
}

/** @param {any} grid one or several @param {boolean} narrow plots side by side go one below the other */
function fitGrids(grid, narrow) {
  if (!narrow || !areBeside(grid)) return onEach(grid, (each) => fitGrid(each, narrow));
  return grid.map((/** @type {any} */ each, /** @type {number} */ i) => ({
    ...each,
    ...BELOW,
    top: each.top + i * (each.height + BETWEEN),
  }));
}

/** @param {any} axis @param {boolean} below its plot is below another one, so it repeats the names of the rows */
function named(axis, below) {
  return below ? { ...axis, axisLabel: { ...axis.axisLabel, show: true } } : axis;
}

/** @param {Readonly<Record<string, any>>} option @returns {number} how much lower the chart is here than as a picture, in CSS pixels */
function spareHeight({ legend }) {
  return TITLE_HEIGHT + (legend ? LEGEND_HEIGHT : 0);
}

/** @param {any} part one or several @param {(one: any) => any} change */
function onEach(part, change) {
  return Array.isArray(part) ? part.map(change) : change(part);
}

/** @param {any} grid @param {boolean} narrow */
function fitGrid(grid, narrow) {
  // Without containLabel the labels are within the margins.
  if (!narrow || !grid.containLabel) return grid;
  const most = (/** @type {unknown} */ margin, /** @type {number} */ limit) =>
    typeof margin === 'number' ? Math.min(margin, limit) : margin;
  return { ...grid, left: most(grid.left, 4), right: most(grid.right, 24) };
}

/** @param {any} axis @param {number} width */
function fitAxis(axis, width) {
  const label = { ...axis.axisLabel, fontSize: 11 };
  const names = labelWidth(label.width, width);
  if (names !== null) Object.assign(label, { width: names, overflow: 'break', lineHeight: LINE });
  // A long name in the middle would pass the right side.
  const name = axis.type !== 'category' && axis.nameLocation === 'middle' ? NAME_AT_THE_END : null;
  const nameTextStyle = { ...axis.nameTextStyle, ...name?.nameTextStyle, fontSize: 10 };
  return { ...axis, ...name, nameTextStyle, axisLabel: label, ...(axis.type !== 'category' && { splitNumber: 3 }) };
}

/** @param {any} series @param {number} width of the drawing, in CSS pixels */
function fitSeries(series, width) {
  if (series.type !== 'bar' || !series.label?.show)
    return { ...series, labelLayout: series.labelLayout ?? { hideOverlap: true } };
  // A text behind a bar ends at the right side of the drawing.
  const labelLayout = (/** @type {any} */ { labelRect }) => ({ width: Math.max(LETTER, width - labelRect.x - LETTER) });
  return { ...series, label: { ...series.label, overflow: 'truncate' }, labelLayout };
}
