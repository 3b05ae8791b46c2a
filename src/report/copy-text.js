/**
 * What the table of the benchmark `copy` has no room for, in Markdown.
 */
import { markdownTable } from 'markdown-table';
import { TOO_FEW } from './columns.js';
import { EFFECT_COLUMNS, USE_COLUMNS } from './copy-columns.js';
import { figuresOf } from './copy-figures.js';
import { escapeText } from './markdown-text.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 */

/**
 * @param {BenchmarkResult} benchmark
 * @returns {string} Markdown; empty where nothing was copied
 */
export function renderCopy({ cases }) {
  const copied = cases.filter((result) => figuresOf(result).length > 0);
  const written = copied.filter((result) => figuresOf(result).some(({ writers }) => writers !== undefined));
  return [
    ...section(
      'What it used, all pairs together. CPU is that of one core, a child that writes the data set included; network holds what writers ' +
        'and movers sent and what this tool asked the nodes, too; a copy writes what a full sync sends it to a file before it loads it, however the source makes it:',
      copied,
      USE_COLUMNS,
    ),
    ...section(
      'What the writers of the source noticed, before the copy was begun, during it and after it was done. At a rate: response time, from ' +
        `when a write was due; the heaviest writing: service time, from when it left. ${TOO_FEW} : too few values to tell:`,
      written,
      EFFECT_COLUMNS,
    ),
  ].join('\n\n');
}

/**
 * @param {string} title
 * @param {readonly CaseResult[]} cases
 * @param {readonly import('../run/types.js').Column[]} columns
 * @returns {string[]}
 */
function section(title, cases, columns) {
  if (cases.length === 0) return [];
  const rows = cases.map((one) => columns.map(({ cell }) => escapeText(cell(one))));
  const header = columns.map((column) => escapeText(column.title));
  return [title, markdownTable([header, ...rows], { align: columns.map(({ align }) => align) })];
}
