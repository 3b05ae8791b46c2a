/** The answers as tables: for the terminal, and for Markdown. @import { ClaimRow } from './index.js' */

import { plural } from '../../format.js';
import { makeTable, terminalTable } from '../../table.js';
import { heading, table } from '../blocks.js';
import { renderTemplate } from '../template.js';
import { summaryOf } from './index.js';

const PAGE = new URL('claims.md', import.meta.url);
const COLUMNS = ['claim', 'theirs', 'ours', 'answer', 'what differs here'];
/** Shares of a terminal’s width. */
const WIDTHS = [0.22, 0.18, 0.26, 0.17, 0.17];
const NARROWEST = 80;

/** @param {ClaimRow} row @returns {string[]} the cells of {@link COLUMNS} */
const cells = ({ claim, theirs, ours, text: answer, differs }) => [claim, theirs, ours, answer, differs];

/** @param {readonly ClaimRow[]} rows @returns {string[]} */
const articlesIn = (rows) => [...new Set(rows.map(({ article }) => article))];

/** @param {readonly ClaimRow[]} rows @param {number} runs that were read @returns {string} Markdown */
export function claimsMarkdown(rows, runs) {
  const articles = articlesIn(rows).flatMap((article) => [
    heading(2, article),
    table(COLUMNS, rows.filter((row) => row.article === article).map(cells), { compact: true }),
  ]);
  return renderTemplate(PAGE, { summary: summaryOf(rows), runs, blocks: { articles } });
}

/** @param {readonly ClaimRow[]} rows @param {{runs: number, columns: number}} options columns: width of the terminal */
export function claimsTerminal(rows, { runs, columns }) {
  const shared = COLUMNS.map((title, i) => ({ title, share: WIDTHS[i] }));
  const width = Math.max(NARROWEST, columns);
  const tables = articlesIn(rows).map((article) => {
    const own = rows.filter((row) => row.article === article).map(cells);
    return `${article}\n${terminalTable(makeTable(shared, own), { frame: true, width })}`;
  });
  return [...tables, `${summaryOf(rows)} From ${plural(runs, 'run')}.`].join('\n\n');
}
