/**
 * The table people decide by, and what follows from it, in Markdown.
 */
import { markdownTable } from 'markdown-table';
import { decisionRows } from './decision.js';
import { wideTable } from './decision-columns.js';
import { limitsOfTheTable } from './decision-limits.js';
import { clientText, settingsText, tableNotes } from './decision-words.js';
import { escapeProse, escapeText, list } from './markdown-text.js';
import { DEFAULT_OPTIONS, recommend } from './recommend.js';
import { recommendationBlocks } from './recommend-text.js';

/**
 * @typedef {import('./schema.js').Result} Result
 * @typedef {import('./recommend-text.js').Block} Block
 */

/**
 * @param {Result} result
 * @returns {string} Markdown; empty when there is no configuration sweep in it
 */
export function renderDecision(result) {
  const rows = decisionRows(result);
  if (rows.length === 0) return '';
  const { header, align, rows: cells } = wideTable(rows);
  const limits = limitsOfTheTable(result, rows);
  const meanings = rows.map((row) => [row.title, settingsText(row), clientText(row)]);
  return [
    '## What to decide by',
    markdownTable([header, ...cells.map((row) => row.map(escapeText))], { align }),
    list(tableNotes(result, rows).map(escapeProse)),
    '### What each configuration is',
    markdownTable([['configuration', 'set', 'what the client does'], ...meanings.map((row) => row.map(escapeCell))], {
      align: ['left', 'left', 'left'],
    }),
    '### What follows from it',
    ...recommendationBlocks(recommend(result), `\`${DEFAULT_OPTIONS}\``).map(renderBlock),
    'Other limits: `sentinel-bench recommend` with the folder of this run and, for instance, `--max-loss 1% --max-p99 5ms`.',
    ...(limits.length === 0 ? [] : ['What this cannot show:', list(limits.map(escapeProse))]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** @param {Block} block */
function renderBlock({ text, items, ordered }) {
  if (items.length === 0) return escapeProse(text);
  const lines = items.flatMap((item, i) => {
    const mark = ordered ? `${i + 1}.` : '-';
    const indent = ' '.repeat(mark.length + 1);
    return [
      `${mark} **${escapeText(item.name)}**: ${escapeProse(item.text)}`,
      ...item.details.map((detail) => `${indent}- ${escapeProse(detail)}`),
    ];
  });
  return `${escapeProse(text)}\n\n${lines.join('\n')}`;
}

/** @param {string} text for a cell of a table: there a bar ends the cell within code, too */
function escapeCell(text) {
  return escapeProse(text).replace(/(?<!\\)\|/g, '\\|');
}
