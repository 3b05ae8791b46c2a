/**
 * A report in both its forms: Markdown with pictures beside it, and one HTML page.
 */

import { createRequire } from 'node:module';
import { cleanDocument, cleaned, cleanLine } from '../untrusted.js';
import { escapeHtml, escapeText } from './blocks.js';
import { altText, finishOption, WIDTH } from './charts/chart.js';
import { PALETTES } from './charts/styles.js';
import { renderDetails, renderSections } from './details.js';
import { renderFrontPage } from './front-page.js';
import { renderPage } from './page/page.js';

/**
 * @import { Chart, ColourName } from './charts/chart.js'
 * @import { Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 */

/**
 * @typedef {Object} Report
 * @property {string} markdown refers to the pictures by their path
 * @property {string} [details] Markdown of a second file, which refers to the same pictures
 * @property {string} html whole, without anything beside it
 * @property {Map<string, string>} pictures path, relative to the report → SVG
 */

/**
 * @param {string} title
 * @param {(figures: Figures) => string} render Markdown, which has its charts from `figures`
 * @returns {Report}
 */
export function makeDocument(title, render) {
  const { pictures, ...beside } = pictureFigure(renderSvg);
  const { charts, ...page } = pageFigure();
  return {
    markdown: cleaned(render(withCleanCharts(beside))),
    html: renderPage({ title: cleaned(title), markdown: cleaned(render(withCleanCharts(page))), charts }),
    pictures,
  };
}

/**
 * The report of a run: report.md is one page, details.md the rest, and the HTML page holds both.
 *
 * @param {Result} result
 * @param {readonly Suite[]} suites
 * @returns {Report & {details: string}}
 */
export function makeReport(result, suites) {
  const { pictures, ...pictured } = pictureFigure(renderSvg);
  const { charts, ...live } = pageFigure();
  const [beside, page] = [withCleanCharts(pictured), withCleanCharts(live)];
  const front = renderFrontPage(result, suites, page);
  const whole = `${front}\n# Details\n\n${renderSections(result, suites, page)}\n`;
  const title = `sentinel-bench: ${result.suite}`;
  return {
    markdown: cleaned(renderFrontPage(result, suites, beside)),
    details: cleaned(renderDetails(result, suites, beside)),
    html: renderPage({ title: cleaned(title), markdown: cleaned(whole), charts }),
    pictures,
  };
}

/**
 * @param {Figures} figures
 * @returns {Figures}
 */
function withCleanCharts({ figure, ...more }) {
  return { ...more, figure: (chart) => figure(cleanDocument(chart)) };
}

/**
 * @typedef {Object} Figures how a report shows its charts
 * @property {(chart: Chart) => string} figure Markdown, a block of its own
 * @property {boolean} [live] charts can be hovered and zoomed: there may be one for each trial, where else a row of blocks stands
 */

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

/** @type {typeof import('echarts') | undefined} */
let loaded;

/**
 * As one file, the one that the page has, too: its hundreds of modules take seven times as long to load. And only when something is
 * drawn: most commands draw nothing.
 *
 * @returns {typeof import('echarts')}
 */
function echarts() {
  loaded ??= /** @type {typeof import('echarts')} */ (createRequire(import.meta.url)('echarts/dist/echarts.min.js'));
  return loaded;
}

/**
 * A colour that stands for the one of that name: drawing takes long, and the two themes differ in nothing else.
 */
const STAND_INS = Object.freeze(
  /** @type {Record<ColourName, string>} */ (
    Object.fromEntries(Object.keys(PALETTES.light).map((name, i) => [name, `#fedc${(i + 16).toString(16)}`]))
  ),
);
const ANY_STAND_IN = new RegExp(Object.values(STAND_INS).join('|'), 'g');

/** @type {WeakMap<Chart, string>} */
const drawn = new WeakMap();

/**
 * @param {Chart} chart
 * @param {'light' | 'dark'} theme
 * @returns {string} the same for the same chart
 */
export function renderSvg(chart, theme) {
  const svg = drawn.get(chart) ?? draw(chart);
  drawn.set(chart, svg);
  const colours = new Map(
    Object.entries(STAND_INS).map(([name, standIn]) => [standIn, PALETTES[theme][/** @type {ColourName} */ (name)]]),
  );
  return svg.replaceAll(ANY_STAND_IN, (standIn) => String(colours.get(standIn)));
}

/**
 * @param {Chart} chart
 * @returns {string} in the colours that stand for others
 */
function draw(chart) {
  const drawing = echarts().init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: chart.height });
  try {
    drawing.setOption(finishOption(chart, { colours: STAND_INS, alone: true }));
    return drawing.renderToSVGString();
  } finally {
    drawing.dispose();
  }
}
