/**
 * A report in both its forms: Markdown with pictures beside it, and a page of its own.
 */
import { renderSvg } from './charts/svg.js';
import { pageFigure, pictureFigure } from './markdown-figures.js';
import { renderPage } from './page/page.js';

/**
 * @typedef {Object} Report
 * @property {string} markdown refers to the pictures by their path
 * @property {string} html whole, without anything beside it
 * @property {Map<string, string>} pictures path, relative to the report → SVG
 */

/**
 * @param {string} title
 * @param {(figures: import('./markdown-figures.js').Figures) => string} render Markdown, which has its charts from `figures`
 * @returns {Report}
 */
export function makeDocument(title, render) {
  const { figure, pictures } = pictureFigure(renderSvg);
  const page = pageFigure();
  return {
    markdown: render({ figure }),
    html: renderPage({ title, markdown: render(page), charts: page.charts }),
    pictures,
  };
}
