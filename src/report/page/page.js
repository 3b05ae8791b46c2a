/**
 * A report as one HTML file: no network, light and dark, charts that can be hovered, tables that can be sorted.
 * @import { Chart } from '../charts/chart.js' @import { Theme } from '../document.js'
 * @typedef {ReadonlyMap<string, string>} Pictures path beside the page, of charts by id, for readers without JavaScript. Where the file is missing
 *   they see its description
 */
import { readFileSync } from 'node:fs';
import GithubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';
import { escapeHtml } from '../blocks.js';
import { altText } from '../charts/chart.js';
import { PALETTES } from '../charts/styles.js';
import { renderHtml } from '../template.js';
import { matrixOf } from './matrix.js';
import { browserScript, echartsScript, pack, scriptElement } from './scripts.js';

const PAGE = new URL('page.liquid', import.meta.url);
const FIGURE = new URL('figure.liquid', import.meta.url);

/**
 * The page loads nothing and runs only its own scripts, whatever the report contains. ECharts writes style attributes.
 * @param {{title: string, markdown: string, charts: readonly Chart[], pictures?: Pictures}} report markdown: with
 *   `<figure data-chart="ID"></figure>` in the place of a chart; other HTML than `<details>` is shown as text. Sections after a second
 *   heading of the first level are folded
 * @returns {string} the same for the same report @throws {Error} the Markdown names an unknown chart
 */
export function renderPage({ title, markdown, charts, pictures = new Map() }) {
  const library = charts.length === 0 ? [] : [echartsScript()];
  const scripts = [...library, browserScript()].map(scriptElement);
  return renderHtml(PAGE, {
    title,
    ...renderBody({ title, markdown, charts, pictures }),
    hashes: scripts.map(({ hash }) => hash),
    hasPictures: pictures.size > 0,
    light: propertiesOf('light'),
    dark: propertiesOf('dark'),
    style: readFileSync(new URL('./page.css', import.meta.url), 'utf8'),
    packed: pack(JSON.stringify(charts.map(({ alt: _, note: __, ...drawn }) => drawn))),
    echarts: library.map(pack)[0] ?? null,
    script: scripts[scripts.length - 1].element,
  });
}

/** @param {Theme} theme @returns {string} its colours as custom properties; charts are drawn with them, too */
function propertiesOf(theme) {
  const properties = Object.entries(PALETTES[theme]).map(([name, colour]) => `--${name}: ${colour};`);
  return properties.join(' ');
}

/**
 * @typedef {ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number]} Token
 * @typedef {{id: string, text: string, level: number}} Section
 */

/** The HTML that a report may contain. Other HTML is shown as text, because names and errors come from servers and files. */
const ALLOWED = /^<(?:\/?(?:details|summary|sub|sup|figure)|details open|figure data-chart="[^"<>]*")>$/;
const PLACE = /<figure data-chart="([^"<>]*)">\s*<\/figure>/g;

/**
 * @param {{title: string, markdown: string, charts: readonly Chart[], pictures: Pictures}} report
 * @returns {{header: string, main: string, sections: (Section & {below: Section[]})[]}} HTML; below: folded sections below a second title
 * @throws {Error} the Markdown names an unknown chart
 */
function renderBody({ title, markdown, charts, pictures }) {
  const byId = new Map(charts.map((chart) => [chart.id, chart]));
  const md = makeRenderer((id) => {
    const chart = byId.get(id);
    if (!chart) throw new Error(`the report has no chart ${id}`);
    return renderFigure(chart, pictures.get(id));
  });
  const tokens = md.parse(markdown, {});
  const sections = nameHeadings(tokens);
  dropEmptyHeaders(tokens);
  nameScrollers(tokens);
  const headEnd = endOfHead(tokens);
  foldSections(tokens);
  const render = (/** @type {Token[]} */ some) => md.renderer.render(some, md.options, {});
  return {
    header: headEnd === 0 ? `<h1>${escapeHtml(title)}</h1>` : render(tokens.slice(0, headEnd)).trim(),
    main: render(tokens.slice(headEnd)),
    sections: nested(sections),
  };
}

/** @param {(id: string) => string} figureOf HTML of a chart */
function makeRenderer(figureOf) {
  const md = new MarkdownIt({ html: true });
  const html = (/** @type {Token[]} */ tokens, /** @type {number} */ i) => allowedHtml(tokens[i].content, figureOf);
  const named = (/** @type {Token} */ { meta }) => `class="scroll" data-name="${escapeHtml(String(meta?.name))}"`;
  const none = () => '';
  const cell = (/** @type {Token[]} */ tokens, /** @type {number} */ i) =>
    `<${tokens[i].tag}${tokens[i].attrGet('style') === 'text-align:right' ? ' class=r' : ''}>`;
  Object.assign(
    md.renderer.rules,
    /** @type {typeof md.renderer.rules} */ ({
      html_block: html,
      html_inline: html,
      text: (tokens, i) => unbroken(escapeHtml(tokens[i].content)),
      page_html: (tokens, i) => tokens[i].content,
      strong_open(tokens, i) {
        const end = tokens.findIndex(({ type }, j) => j > i && type === 'strong_close');
        const bold = tokens.slice(i, end).map(({ content }) => content);
        return /\bfailed\b/i.test(bold.join('')) ? '<strong class="failed">' : '<strong>';
      },
      // A block with a language is to be pasted; others are output.
      fence: (tokens, i) =>
        `<div class="code"${tokens[i].info === '' ? '' : ' data-paste'}><pre ${named(tokens[i])}><code>${escapeHtml(tokens[i].content)}</code></pre></div>\n`,
      table_open: (tokens, i) => `<div ${named(tokens[i])}><table${md.renderer.renderAttrs(tokens[i])}>\n`,
      table_close: () => '</table></div>\n',
      th_open: cell,
      td_open: cell,
      // HTML needs no ends of cells and rows, and a page has thousands.
      th_close: none,
      td_close: none,
      tr_close: none,
    }),
  );
  return md;
}

/** Spaces that no line may break at: between a figure and its unit or mark, and before the number of a mode. */
const TOGETHER =
  /(?<=\d) (?=(?:[nµm]?s|min|[kM]?\/s|[KMGT]?i?B|[kMG]?bit)(?:[^a-z]|$))|(?<=\bWAIT|\bmin-replicas|\bdepth) (?=\d)| (?=[†‡])/g;
/** The dash of an interval. */
const TO = /(?<=\d\S{0,3})–(?=\d)/g;

/** @param {string} text escaped, because escaping shows invisible characters */
function unbroken(text) {
  return text.replace(TOGETHER, '\u00a0').replace(TO, '–\u2060');
}

/** @param {string} html from the Markdown @param {(id: string) => string} figureOf HTML of a chart */
function allowedHtml(html, figureOf) {
  return html
    .replace(/<[^<>]*>|<|>/g, (tag) => (ALLOWED.test(tag) ? tag : escapeHtml(tag)))
    .replace(PLACE, (_, id) => figureOf(id));
}

/** @param {Chart} chart @param {string | undefined} picture its path, for readers without JavaScript */
function renderFigure(chart, picture) {
  const { id, title, alt, note = null, height } = chart;
  return renderHtml(FIGURE, {
    ...{ id, title, alt, note, height },
    label: altText({ alt }),
    picture: picture ?? null,
    matrix: matrixOf(chart),
  }).trimEnd();
}

/** Gives headings the same ids as on GitHub. @param {Token[]} tokens @returns {Section[]} those of the first two levels, without the title */
function nameHeadings(tokens) {
  const slugger = new GithubSlugger();
  const sections = [];
  for (const [i, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const text = plainText(tokens[i + 1]);
    const id = slugger.slug(text);
    token.attrSet('id', id);
    if (token.tag === 'h2' || (token.tag === 'h1' && i > 0)) sections.push({ id, text, level: Number(token.tag[1]) });
  }
  return sections;
}

/** @param {Token} inline */
const plainText = ({ children }) => (children ?? []).map(({ content }) => content).join('');

/** Drops empty table headers, which Markdown requires for each table. @param {Token[]} tokens changed */
function dropEmptyHeaders(tokens) {
  for (let i = tokens.length - 1; i >= 0; i--) {
    if (tokens[i].type !== 'thead_open') continue;
    const end = tokens.findIndex(({ type }, j) => j > i && type === 'thead_close');
    const header = tokens.slice(i, end);
    if (header.every(({ type, content }) => type !== 'inline' || content === '')) tokens.splice(i, end + 1 - i);
    for (const [j, { type }] of header.entries()) {
      if (type === 'th_open' && header[j + 1].content === '') header[j].tag = header[j + 2].tag = 'td';
    }
  }
}

/** Names each table and block of text by its heading and its number below it. @param {Token[]} tokens */
function nameScrollers(tokens) {
  let heading = '';
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') heading = plainText(tokens[i + 1]);
    const what = token.type === 'table_open' ? 'Table' : token.type === 'fence' ? 'Text' : null;
    if (what === null) continue;
    const place = (seen.get(what + heading) ?? 0) + 1;
    seen.set(what + heading, place);
    token.meta = { name: `${what} ${place}${heading === '' ? '' : ` of ${heading}`}` };
  }
}

/** @param {Token[]} tokens @returns {number} index after the title and the first paragraph; 0: no title */
function endOfHead(tokens) {
  if (tokens[0]?.tag !== 'h1') return 0;
  const title = tokens.findIndex(({ type }) => type === 'heading_close') + 1;
  if (tokens[title]?.type !== 'paragraph_open') return title;
  return tokens.findIndex(({ type }, i) => i > title && type === 'paragraph_close') + 1;
}

/** Folds each section after the second title, so that readers open those they need. @param {Token[]} tokens changed */
function foldSections(tokens) {
  const title = tokens.findIndex(({ type, tag }, i) => i > 0 && type === 'heading_open' && tag === 'h1');
  const first = tokens.findIndex(({ type, tag }, i) => i > title && type === 'heading_open' && tag === 'h2');
  if (title === -1 || first === -1) return;
  const [fold] = new MarkdownIt({ html: true }).parse('<details>', {});
  const html = (/** @type {string} */ content) => Object.assign(Object.create(fold), { type: 'page_html', content });
  const folded = tokens.splice(first).flatMap((token, i) => {
    if (token.tag !== 'h2') return token;
    if (token.type === 'heading_close') return [token, html('</summary>\n')];
    return [html(`${i > 0 ? '</details>\n' : ''}<details class="section" name="section">\n<summary>`), token];
  });
  tokens.push(...folded, html('</details>\n'));
}

/** @param {Section[]} sections @returns {(Section & {below: Section[]})[]} what follows the title of the page is `below` it */
function nested(sections) {
  const title = sections.findIndex(({ level }) => level === 1);
  return sections
    .slice(0, title === -1 ? undefined : title + 1)
    .map((section, i) => ({ ...section, below: i === title ? sections.slice(i + 1) : [] }));
}
