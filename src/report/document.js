/**
 * A report in both its forms: Markdown with pictures beside it, and one HTML page.
 * @import { Chart } from './charts/chart.js' @import { Result } from '../result/schema.js' @import { Suite } from '../run/types.js'
 * @typedef {{markdown: string, details?: string, html: string, pictures: Map<string, string>}} Report markdown: refers to the pictures by
 *   their path; details: Markdown of a second file, which refers to the same pictures; html: one file that needs no other; pictures: path,
 *   relative to the report → SVG
 * @typedef {{figure: (chart: Chart) => string, padded?: boolean}} Figures how a report shows its charts. figure: Markdown of one block; padded:
 *   default: true; false: cells of tables are not padded, because blanks would be a quarter of the file
 * @typedef {'light' | 'dark'} Theme
 */

import { createRequire } from 'node:module';
import { cleanDocument, cleaned, cleanLine } from '../untrusted.js';
import { escapeHtml, escapeText } from './blocks.js';
import { altText, FONT, finishOption, WIDTH } from './charts/chart.js';
import { PALETTES } from './charts/styles.js';
import { renderDetails, renderSections } from './details.js';
import { withFindings } from './findings.js';
import { renderFrontPage } from './frame.js';
import { renderPage } from './page/page.js';

const PICTURES = 'charts';

/** @param {string} id of a chart @param {Theme} [theme] */
function pathOf(id, theme = 'light') {
  return `${PICTURES}/${id}${theme === 'dark' ? '-dark' : ''}.svg`;
}

/** @param {string} title @param {(figures: Figures) => string} render Markdown, which has its charts from `figures` */
export function makeDocument(title, render) {
  const pictures = new Map();
  const markdown = cleaned(render(pictureFigures(pictures, ['light', 'dark'])));
  return { markdown, html: pageOf(title, render, pictures), pictures };
}

/**
 * The report of a run: report.md is one page, details.md has the rest, and the HTML page has both. The pictures of details.md are light
 * only: there are dozens.
 * @param {Result} measured @param {readonly Suite[]} suites @returns {Report & {details: string}}
 */
export function makeReport(measured, suites) {
  const result = withFindings(measured, suites);
  const pictures = new Map();
  const markdown = cleaned(renderFrontPage(result, suites, pictureFigures(pictures, ['light', 'dark'])));
  const details = cleaned(renderDetails(result, suites, { ...pictureFigures(pictures, ['light']), padded: false }));
  const render = (/** @type {Figures} */ figures) =>
    `${renderFrontPage(result, suites, figures)}\n# Details\n\n${renderSections(result, suites, figures)}\n`;
  return { markdown, details, html: pageOf(`sentinel-bench: ${result.suite}`, render, pictures), pictures };
}

/** @param {string} title @param {(figures: Figures) => string} render @param {ReadonlyMap<string, string>} pictures beside the page, path → SVG @returns {string} HTML */
function pageOf(title, render, pictures) {
  const { charts, ...figures } = pageFigures();
  const markdown = cleaned(render(figures));
  const drawn = charts.filter(({ id }) => pictures.has(pathOf(id)));
  const beside = new Map(drawn.map(({ id }) => [id, pathOf(id)]));
  return renderPage({ title: cleaned(title), markdown, charts, pictures: beside });
}

/** @param {Map<string, string>} pictures gets the pictures, path → SVG @param {readonly Theme[]} themes @returns {Figures} */
function pictureFigures(pictures, themes) {
  return {
    figure(anyChart) {
      const chart = cleanDocument(anyChart);
      const path = (/** @type {Theme} */ theme) => pathOf(chart.id, theme);
      for (const theme of themes) pictures.set(path(theme), renderSvg(chart, theme));
      // GitHub shows the picture that suits the reader's theme. Without blank lines this is one block of HTML.
      const picture = [
        '<picture>',
        ...(themes.includes('dark') ? [`<source media="(prefers-color-scheme: dark)" srcset="${path('dark')}">`] : []),
        `<img alt="${escapeHtml(cleanLine(altText(chart)))}" src="${path('light')}">`,
        '</picture>',
      ].join('\n');
      return chart.note === undefined ? picture : `${picture}\n\n<sub>${escapeText(chart.note)}</sub>`;
    },
  };
}

/** @returns {Figures & {charts: Chart[]}} charts: gets each chart where it comes first; the page shows it once */
function pageFigures() {
  /** @type {Chart[]} */
  const charts = [];
  return {
    charts,
    figure(anyChart) {
      const chart = cleanDocument(anyChart);
      if (charts.some(({ id }) => id === chart.id)) return '';
      charts.push(chart);
      return `<figure data-chart="${chart.id}"></figure>`;
    },
  };
}

const require = createRequire(import.meta.url);

/** The single file of ECharts, which is seven times faster than its modules, and only when a chart is drawn. @returns {typeof import('echarts')} */
const echarts = () => require('echarts/dist/echarts.min.js');

/** Colours that stand for others. Drawing is slow and the themes differ in colours only, so a chart is drawn once with these. */
const STAND_INS = new Map(Object.keys(PALETTES.light).map((name, i) => [name, `#fedc${(i + 16).toString(16)}`]));
const NAMES = new Map(Array.from(STAND_INS, ([name, standIn]) => [standIn, name]));

/** @type {WeakMap<Chart, string>} */
const drawn = new WeakMap();

/** @param {Chart} chart @param {Theme} theme @returns {string} the same for the same chart */
export function renderSvg(chart, theme) {
  const svg = drawn.get(chart) ?? draw(chart);
  drawn.set(chart, svg);
  return svg.replaceAll(/#fedc[0-9a-f]{2}/g, (standIn) => PALETTES[theme][String(NAMES.get(standIn))]);
}

/** @param {Chart} chart @returns {string} in the colours of {@link STAND_INS} */
function draw(chart) {
  const drawing = echarts().init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: chart.height });
  try {
    drawing.setOption(finishOption(chart, { colourOf: (name) => STAND_INS.get(name), alone: true }));
    /** @type {Map<string, string>} */
    const names = new Map();
    // ECharts counts classes and clip paths through all charts of a process. A page holds several charts, which must not share them.
    const nameIn = (/** @type {string} */ name) => {
      if (!names.has(name)) names.set(name, `${chart.id.replaceAll(/\W/g, '-')}-${names.size}`);
      return String(names.get(name));
    };
    // ECharts repeats the font in each text and writes coordinates with 15 digits, a tenth of the file.
    return drawing
      .renderToSVGString()
      .replaceAll(/zr\d+-[a-z]+-?\d+/g, nameIn)
      .replaceAll(`font-family:${FONT};`, '')
      .replace('<svg ', `<svg style="font-family:${FONT}" `)
      .replaceAll(/ (?:d|x|y|transform)="[^"]+"/g, (place) => place.replaceAll(/(\.\d)\d+/g, '$1'));
  } finally {
    drawing.dispose();
  }
}
