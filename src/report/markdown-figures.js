/**
 * Where a chart stands in Markdown: as a picture beside it, or as a place that the page draws into.
 *
 * @typedef {Object} Figures how a report shows its charts
 * @property {(chart: Chart) => string} figure Markdown, a block of its own
 * @property {boolean} [live] charts can be hovered and zoomed: there may be one for each trial, where else a row of blocks stands
 */
import { cleanLine } from '../untrusted.js';
import { shorten } from './format.js';
import { escapeHtml, escapeText } from './markdown-text.js';

/** @import { Chart } from './charts/types.js' */

/** What a screen reader reads out in one go. The figures are in the tables. */
const ALT_CHARACTERS = 150;
/** The folder of pictures, beside the report. */
const PICTURES = 'charts';

/**
 * @param {(chart: Chart, theme: 'light' | 'dark') => string} draw
 * @returns {Figures & {pictures: Map<string, string>}} pictures: filled with each figure, path → SVG
 */
export function pictureFigure(draw) {
  /** @type {Map<string, string>} */
  const pictures = new Map();
  return {
    pictures,
    figure(chart) {
      const [light, dark] = /** @type {const} */ (['light', 'dark']).map((theme) => {
        const file = `${PICTURES}/${chart.id}${theme === 'dark' ? '-dark' : ''}.svg`;
        pictures.set(file, draw(chart, theme));
        return file;
      });
      // GitHub shows the one that suits the reader's theme. Without blank lines it is one block of HTML.
      const picture = [
        '<picture>',
        `<source media="(prefers-color-scheme: dark)" srcset="${dark}">`,
        `<img alt="${escapeHtml(cleanLine(altText(chart)))}" src="${light}">`,
        '</picture>',
      ].join('\n');
      return chart.note === undefined ? picture : `${picture}\n\n<sub>${escapeText(chart.note)}</sub>`;
    },
  };
}

/**
 * @param {Pick<Chart, 'alt'> & {title?: string}} chart title: left out where it is shown as text beside the chart
 * @returns {string} at most 150 characters
 */
export function altText({ title, alt }) {
  return shorten(title === undefined ? alt : `${title}. ${alt}`, ALT_CHARACTERS);
}

/** @returns {Figures & {charts: Chart[]}} charts: filled with each figure, in order; a chart is shown once, where it comes first */
export function pageFigure() {
  /** @type {Chart[]} */
  const charts = [];
  return {
    live: true,
    charts,
    figure(chart) {
      if (charts.some(({ id }) => id === chart.id)) return '';
      charts.push(chart);
      return `<figure data-chart="${chart.id}"></figure>`;
    },
  };
}
