/**
 * What a report is made of: blocks of plain text, tables, code and charts, and their Markdown. Text is escaped here only.
 * @import { Chart } from './charts/chart.js' @import { Figures } from './document.js' @import { GivenColumn, TableOf } from '../table.js'
 * @typedef {{kind: 'text', text: string} | {kind: 'list', items: (string | Item)[]} | TableBlock | {kind: 'code', text: string, language: string} |
 *   {kind: 'chart', chart: Chart} | {kind: 'heading', level: 2 | 3 | 4, text: string}} Block
 * @typedef {{name: string, text: string}} Item name: shown bold, without code
 * @typedef {{kind: 'table', compact?: boolean} & TableOf} TableBlock compact: cells are not padded
 */

import { markdownTable } from 'markdown-table';
import { cellsOf, makeTable } from '../table.js';
import { cleaned, cleanLine } from '../untrusted.js';

/** @param {string} value plain text; code between backticks @returns {Block} */
export const text = (value) => ({ kind: 'text', text: value });

/** @param {readonly (string | Item)[]} items plain text; code between backticks @returns {Block} */
export const list = (items) => ({ kind: 'list', items: [...items] });

/**
 * @param {readonly (GivenColumn | string)[]} columns a title alone: left-aligned
 * @param {readonly any[]} rows what the columns make cells of; for columns without cells: arrays of plain text with code between backticks
 * @param {{compact?: boolean}} [options] compact: default: false @returns {TableBlock}
 */
export function table(columns, rows, options = {}) {
  return { kind: 'table', ...options, ...makeTable(columns, rows) };
}

/** @param {string} value shown as it is @param {string} [language] for highlighting, such as `sh` @returns {Block} */
export const code = (value, language = '') => ({ kind: 'code', text: value, language });

/** @param {Chart} value @returns {Block} */
export const chart = (value) => ({ kind: 'chart', chart: value });

/** @param {2 | 3 | 4} level @param {string} value @returns {Block} */
export const heading = (level, value) => ({ kind: 'heading', level, text: value });

/** @param {readonly Block[]} blocks @param {Figures} [figures] @returns {string} Markdown without a line break at its end; leaves out empty blocks */
export function renderBlocks(blocks, figures = { figure: () => '' }) {
  const parts = blocks.map((block) => renderBlock(block, figures));
  return parts.filter((part) => part !== '').join('\n\n');
}

/** @param {Block} block @param {Figures} figures */
function renderBlock(block, figures) {
  switch (block.kind) {
    case 'text':
      return escapeProse(block.text);
    case 'list':
      return block.items.map(renderItem).join('\n');
    case 'table':
      return renderTable(block, figures);
    case 'code': {
      const runs = block.text.match(/`+/g) ?? [];
      const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
      return `${fence}${block.language}\n${block.text}\n${fence}`;
    }
    case 'chart':
      return figures.figure(block.chart);
    case 'heading':
      return `${'#'.repeat(block.level)} ${escapeProse(block.text)}`;
  }
}

/** @param {string | Item} item */
function renderItem(item) {
  if (typeof item === 'string') return `- ${escapeProse(item)}`;
  return `- **${escapeText(item.name)}**: ${escapeProse(item.text)}`;
}

/** @param {TableBlock} block @param {Figures} figures */
function renderTable({ columns, rows, compact = false }, figures) {
  if (rows.length === 0) return '';
  const cells = cellsOf({ columns, rows }).map((row) =>
    row.map((value, i) => strengthen(escapeCell(value), columns[i]?.strong)),
  );
  const header = columns.map(({ title }) => escapeCell(title));
  return markdownTable([header, ...cells], {
    align: columns.map(({ align = 'left' }) => align),
    alignDelimiters: !compact && figures.padded !== false,
  });
}

/** @param {string} cell escaped @param {string | undefined} beginning */
function strengthen(cell, beginning) {
  return beginning !== undefined && cell.startsWith(beginning)
    ? `**${beginning}**${cell.slice(beginning.length)}`
    : cell;
}

/** @param {string} value for a cell: a bar would end it, even within code */
function escapeCell(value) {
  return escapeProse(value).replace(/(?<!\\)\|/g, '\\|');
}

/** Beginnings of a line that Markdown does not read as a paragraph: a heading, an item, a rule, the underline of a heading. */
const BLOCK = /^(?:#|[-+](?=\s|$)|[-=]{2,}\s*$)/;
const NUMBERED_ITEM = /^(\d+)([.)])(?=\s|$)/;

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = Object.freeze({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' });

/** @param {string} text @returns {string} one line that Markdown shows unchanged, in a table's cell and at the beginning of a line, too */
export function escapeText(text) {
  return escapeInline(cleanLine(text).trimStart()).replace(BLOCK, '\\$&').replace(NUMBERED_ITEM, '$1\\$2');
}

/** @param {string} line */
function escapeInline(line) {
  return (
    line
      .replace(/[\\`*|<>[\]~]/g, '\\$&')
      .replace(/&(?=#?\w+;)/g, '\\&')
      // Within a word Markdown leaves an underscore alone.
      .replace(/(?<!\w)_|_(?!\w)/g, '\\_')
  );
}

/** Like {@link escapeText}, but text between backticks is code. @param {string} text */
export function escapeProse(text) {
  const [first, ...parts] = cleanLine(text).split(/(`[^`]+`)/);
  return [escapeText(first), ...parts.map((part, i) => (i % 2 === 0 ? part : escapeInline(part)))].join('');
}

/** @param {string} text @returns {string} HTML that shows the unchanged text; also safe within a quoted attribute */
export function escapeHtml(text) {
  return cleaned(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}
