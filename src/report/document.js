/**
 * A report in both its forms: Markdown with pictures beside it, and one HTML page.
 */
import { cleanDocument, cleaned } from '../untrusted.js';
import { renderSvg } from './charts/svg.js';
import { renderDetails, renderSections } from './details.js';
import { renderFrontPage } from './front-page.js';
import { pageFigure, pictureFigure } from './markdown-figures.js';
import { renderPage } from './page/page.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 * @import { Figures } from './markdown-figures.js'
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
