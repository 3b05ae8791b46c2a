/**
 * What the page has of a benchmark whose suite has no page: its question, its findings and one table.
 *
 * @import { CaseFigures } from '../facts/query.js'
 * @import { BenchmarkResult, Result } from '../result/schema.js'
 * @import { Benchmark } from '../run/types.js'
 * @import { TableBlock } from './blocks.js'
 * @import { Figures } from './document.js'
 * @import { ColumnSpec } from './specs.js'
 */
import { isFailureBenchmark } from '../audit/of-trials.js';
import { figure, rowsOf, where } from '../facts/query.js';
import { NATIVE } from '../facts/trials.js';
import { ALL, benchmarkHeading, FINDING_CHARACTERS, shorten } from '../format.js';
import { table } from './blocks.js';
import { DEFAULT_COLUMNS } from './columns.js';
import { FORMATS, figures, tableOf } from './specs.js';
import { renderTemplate } from './template.js';

const SECTION = new URL('section.md', import.meta.url);
const MOST_FINDINGS = 3;

/** @type {readonly ColumnSpec[]} */
const LOSSES = [
  { title: 'case', text: ({ caseId }) => caseId },
  figures('lost', lossText),
  figures(
    'trials with a loss',
    (row) => `${figure(row, 'lost-writes', 'trialsWithLoss') ?? 0}/${figure(row, 'lost-writes', 'n')}`,
  ),
  { title: 'outage', metric: 'outage', format: 'seconds' },
];

/** @param {CaseFigures} row @returns {string} of the worst trial */
function lossText(row) {
  if (figure(row, 'total-loss', 'worst') === 1) return ALL;
  const seconds = figure(row, 'lost-seconds', 'worst');
  if (seconds === 0) return '0';
  return seconds === null ? FORMATS.count(figure(row, 'lost-writes', 'worst')) : FORMATS.seconds(seconds);
}

/**
 * @param {BenchmarkResult} measured @param {Benchmark | undefined} benchmark undefined: this version does not know it
 * @param {Result} result @param {Figures} figures @returns {string} Markdown; empty: it failed, which the page says above
 */
export function renderSection(measured, benchmark, result, figures) {
  const skipped = measured.status === 'skipped' ? (measured.reason ?? '') : null;
  if (measured.cases.length === 0 && skipped === null) return '';
  const data = {
    skipped,
    title: benchmarkHeading(measured, benchmark),
    question: measured.question,
    findings: measured.findings.slice(0, MOST_FINDINGS).map(({ text }) => shorten(text, FINDING_CHARACTERS)),
    tables: { measured: isFailureBenchmark(measured) ? losses(measured, result) : rounds(measured, benchmark) },
  };
  return renderTemplate(SECTION, data, figures);
}

/** @param {BenchmarkResult} measured @param {Benchmark | undefined} benchmark @returns {TableBlock} all that it measured */
export function rounds({ cases }, benchmark) {
  return table(benchmark?.table ?? DEFAULT_COLUMNS, cases);
}

/** @param {BenchmarkResult} measured @param {Result} result @returns {TableBlock} of each case the native client that fared worst */
function losses(measured, result) {
  const rows = rowsOf({ ...result, benchmarks: [measured] }, { metrics: {} });
  return tableOf(LOSSES, where(rows, { writer: NATIVE }));
}
