/**
 * Pages as templates: Markdown with LiquidJS. The text of a page is in its template, the figures come from its data.
 *
 * Whatever `{{ … }}` prints is escaped for Markdown, because names come from servers and foreign files. A variable or a filter that does
 * not exist is an error.
 * @import { Context, Emitter, Liquid as LiquidType, TagToken } from 'liquidjs' @import { Block, TableBlock } from './blocks.js'
 * @import { Chart } from './charts/chart.js' @import { Figures } from './document.js' @import { CellFormat } from './specs.js'
 * @typedef {{tables?: Readonly<Record<string, TableBlock>>, charts?: Readonly<Record<string, Chart | null>>,
 *   blocks?: Readonly<Record<string, readonly Block[]>>} & Record<string, unknown>} TemplateData what a template shows. tables, charts, blocks: by
 *   the names in `{% table name %}`; a table without rows, and null (too little data), show nothing
 * @typedef {{escape: (text: string) => string, prose: (text: string) => string, blocks: (blocks: readonly Block[]) => string}} RenderTarget
 *   what a template is rendered for. escape: of a text from elsewhere; prose: likewise, of ours with code between backticks
 */
import { readFileSync } from 'node:fs';
import { Liquid } from 'liquidjs';
import { interval, plural, rangeOrOne } from '../format.js';
import { cleanLine } from '../untrusted.js';
import { readYaml } from '../yaml.js';
import { chart, code, escapeHtml, escapeProse, escapeText, renderBlocks } from './blocks.js';
import { FORMATS } from './specs.js';
import { terminalText } from './terminal.js';

/** A tag alone on its line, which leaves no empty line behind. */
const ALONE = /^[ \t]*(\{%-?(?:(?!%\}).)*%\})[ \t]*\n/gm;
/** A code block, which stays as it is, or empty lines and spaces at the end of a line. */
const CODE_OR_SPACE = /(^`{3,}[^\n]*\n[\s\S]*?^`{3,}$)|[ \t]+$|\n(?:[ \t]*\n){2,}/gm;

/** @type {Map<string, string>} */
const sources = new Map();

/** A line in whose place another template comes: `{% include ../pages/choices.md %}`. */
const INCLUDE = /^\{% include (\S+) %\}\n/gm;

/** @param {URL} file @returns {string} with the templates that it includes */
function sourceOf(file) {
  const text =
    sources.get(file.href) ??
    readFileSync(file, 'utf8').replaceAll(INCLUDE, (_, name) => sourceOf(new URL(name, file)));
  sources.set(file.href, text);
  return text;
}

/**
 * @param {URL} file of the template @param {TemplateData} data @param {Figures} [figures] how charts are shown; default: not
 * @returns {string} Markdown without a line break at its end
 * @throws {Error} the template names a variable, filter, table or chart that does not exist
 */
export function renderTemplate(file, data, figures) {
  return renderText(sourceOf(file), data, figures);
}

/** @param {string} template @param {TemplateData} data @param {Figures} [figures] @returns {string} as {@link renderTemplate} */
export function renderText(template, data, figures) {
  const blocks = (/** @type {readonly Block[]} */ all) => `${renderBlocks(all, figures)}\n`;
  return renderFor(template, data, { escape: escapeText, prose: escapeProse, blocks });
}

/** @param {URL} file of a template that is no Markdown @param {TemplateData} data @returns {string} plain text for a terminal */
export function renderPlain(file, data) {
  const blocks = (/** @type {readonly Block[]} */ all) => `${terminalText(all)}\n`;
  return renderFor(sourceOf(file), data, { escape: cleanLine, prose: cleanLine, blocks });
}

/** @param {URL} file of a template of HTML, without tables, charts and code @param {TemplateData} data @returns {string} HTML */
export function renderHtml(file, data) {
  return renderFor(sourceOf(file), data, { escape: escapeHtml, prose: escapeHtml, blocks: () => '' }, (html) => html);
}

/**
 * @param {URL} file YAML: for each thing its texts by name, which are templates
 * @returns {(thing: string, name: string, data?: TemplateData) => string} plain text on one line, not escaped
 */
export function textsIn(file) {
  const engine = engineFor({}, { escape: String, prose: String, blocks: () => '' });
  /** @type {Record<string, Record<string, string>>} */
  const texts = readYaml(file);
  return (thing, name, data = {}) =>
    engine.parseAndRenderSync(named(named(texts, thing, 'thing'), name, 'text'), data).trim();
}

/** @param {string} template @param {TemplateData} data @param {RenderTarget} target @param {(text: string) => string} [finish] */
function renderFor(template, data, target, finish = tidy) {
  const engine = engineFor(data, target);
  return finish(engine.parseAndRenderSync(template.replaceAll(ALONE, '$1'), data));
}

/** @param {TemplateData} data @param {RenderTarget} target @returns {LiquidType} */
function engineFor({ tables = {}, charts = {}, blocks = {} }, target) {
  const engine = new Liquid({
    strictVariables: true,
    strictFilters: true,
    outputEscape: (/** @type {unknown} */ value) => target.escape(String(value ?? '')),
  });
  for (const [name, format] of Object.entries(FORMATS)) engine.registerFilter(name, format);
  engine.registerFilter('plural', plural);
  // A figure with its interval or range: `{{ fact | interval: 'seconds' }}`.
  engine.registerFilter('interval', (fact, /** @type {CellFormat} */ name) => interval(fact, FORMATS[name]));
  // The least and the most of a list: `{{ payloads | range: 'bytes' }}`.
  engine.registerFilter('range', (/** @type {number[]} */ values, /** @type {CellFormat | undefined} */ name) =>
    rangeOrOne(Math.min(...values), Math.max(...values), name === undefined ? String : FORMATS[name]),
  );
  // Text of ours with code between backticks.
  engine.registerFilter('prose', { raw: true, handler: (text) => target.prose(String(text)) });
  engine.registerFilter('code', { raw: true, handler: codeSpan });
  /** @type {Record<string, (args: string, context: Context) => readonly Block[]>} */
  const tags = {
    table: (name) => [named(tables, name, 'table')].filter(({ rows }) => rows.length > 0),
    chart: (name) => [named(charts, name, 'chart')].flatMap((found) => (found ? chart(found) : [])),
    blocks: (name) => named(blocks, name, 'list of blocks'),
    // A variable as a block: `{% code command sh %}` to paste, `{% code output %}` without a language.
    code(args, context) {
      const [variable, language] = args.split(' ');
      return [code(String(context.getSync(variable.split('.'))), language)];
    },
  };
  for (const [name, blocksOf] of Object.entries(tags)) {
    engine.registerTag(name, {
      /** @param {TagToken} token */
      parse(token) {
        this.args = token.args.trim();
      },
      /** @param {Context} context @param {Emitter} emitter */
      render(context, emitter) {
        const all = blocksOf(this.args, context);
        if (all.length > 0) emitter.write(target.blocks(all));
      },
    });
  }
  return engine;
}

/** @template T @param {Readonly<Record<string, T>>} all @param {string} name @param {string} kind @returns {T} */
function named(all, name, kind) {
  if (Object.hasOwn(all, name)) return all[name];
  throw new Error(`The page has no ${kind} called ${name}. It has: ${Object.keys(all).join(', ')}.`);
}

/** @param {unknown} text @returns {string} code, whatever backticks it has */
function codeSpan(text) {
  const line = cleanLine(String(text));
  const fence = '`'.repeat(1 + Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length)));
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** @param {string} markdown @returns {string} at most one empty line between blocks */
function tidy(markdown) {
  return markdown.replaceAll(CODE_OR_SPACE, (found, code) => code ?? (found.startsWith('\n') ? '\n\n' : '')).trim();
}
