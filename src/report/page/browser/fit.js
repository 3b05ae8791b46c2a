/**
 * A chart's option, made for a width of text on GitHub, fitted to where it stands on the page. Imports nothing.
 */

/** @import { Chart } from '../../charts/types.js' */

/** What a picture by itself has at its top and here stands outside of it, in CSS pixels. */
const TITLE_HEIGHT = 32;
const LEGEND_HEIGHT = 20;
/** A block in a matrix holds a figure; its row has a name. In CSS pixels. */
const BLOCK_WIDTH = 84;
const ROW_NAME_WIDTH = 200;
/** The least that a plot is worth drawing in. In CSS pixels. */
const PLOT_WIDTH = 240;
const NAMES_WIDTH = 560;
/** Narrower drawings have smaller margins and shorter labels. In CSS pixels. */
const NARROW = 560;

/**
 * @param {Record<string, any>} option finished
 * @param {number} width in CSS pixels
 * @returns {Record<string, any>}
 */
export function fitOption(option, width) {
  const narrow = width < NARROW;
  const raise = (/** @type {any} */ part) =>
    typeof part.top === 'number' ? { ...part, top: Math.max(0, part.top - spareHeight(option)) } : part;
  const axis = (/** @type {any} */ each) => (narrow ? fitAxis(each, width) : each);
  return {
    ...option,
    ...(option.grid && { grid: onEach(option.grid, (each) => fitGrid(raise(each), narrow)) }),
    ...(option.visualMap && { visualMap: onEach(option.visualMap, raise) }),
    ...(option.title && { title: onEach(option.title, raise) }),
    ...(option.xAxis && { xAxis: onEach(option.xAxis, axis) }),
    ...(option.yAxis && { yAxis: onEach(option.yAxis, axis) }),
    ...(option.series && { series: onEach(option.series, (each) => (narrow ? fitSeries(each) : each)) }),
  };
}

/**
 * @param {Chart} chart
 * @returns {number} below which it is scrolled rather than drawn narrower, in CSS pixels: a matrix needs room for its blocks, a plot
 *   some besides what its margins take
 */
export function leastWidth({ option, columns, rows }) {
  const margins = [option.grid ?? []].flat().map(({ containLabel, left, right }) => {
    const fixed = containLabel ? [] : [left, right];
    // A share of the width is made for names of cases.
    if (fixed.some((margin) => typeof margin === 'string')) return NAMES_WIDTH;
    return fixed.reduce((sum, margin) => sum + (margin ?? 0), PLOT_WIDTH);
  });
  const matrix = [option.series ?? []].flat().find(({ type }) => type === 'heatmap');
  const across = columns.findIndex(({ name }) => name === matrix?.encode?.x);
  const blocks = matrix ? ROW_NAME_WIDTH + BLOCK_WIDTH * new Set(rows.map((row) => row[across])).size : 0;
  return Math.max(0, blocks, ...margins);
}

/**
 * @param {Readonly<Record<string, any>>} option
 * @returns {number} by how much it is less high here than as a picture by itself, in CSS pixels
 */
export function spareHeight({ legend }) {
  return TITLE_HEIGHT + (legend ? LEGEND_HEIGHT : 0);
}

/**
 * @param {any} part one or several
 * @param {(one: any) => any} change
 */
function onEach(part, change) {
  return Array.isArray(part) ? part.map(change) : change(part);
}

/**
 * @param {any} grid
 * @param {boolean} narrow
 */
function fitGrid(grid, narrow) {
  // Without containLabel the margins are what labels have.
  if (!narrow || !grid.containLabel) return grid;
  const most = (/** @type {unknown} */ margin, /** @type {number} */ limit) =>
    typeof margin === 'number' ? Math.min(margin, limit) : margin;
  return { ...grid, left: most(grid.left, 4), right: most(grid.right, 24) };
}

/**
 * @param {any} axis
 * @param {number} width
 */
function fitAxis(axis, width) {
  const label = { ...axis.axisLabel, fontSize: 11 };
  if (typeof label.width === 'number') {
    label.width = Math.min(label.width, Math.round(width / 3));
    label.overflow = 'break';
    label.lineHeight = 13;
  }
  return { ...axis, axisLabel: label, ...(axis.type !== 'category' && { splitNumber: 3 }) };
}

/** @param {any} series */
function fitSeries(series) {
  return { ...series, labelLayout: series.labelLayout ?? { hideOverlap: true } };
}
