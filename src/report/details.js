/** details.md: every case, table, timeline and check of a result, and how to read them. */

import { isFailureBenchmark } from '../audit/of-trials.js';
import { benchmarkHeading, notMeasuredLines, plural } from '../format.js';
import { ENOUGH_BEYOND } from '../stats/summary.js';
import { cellsOf } from '../table.js';
import { chart, escapeProse, escapeText, heading, list, markdown, renderBlocks, table, text } from './blocks.js';
import { DEFAULT_COLUMNS, TOO_FEW } from './columns.js';
import { renderEnd } from './details-end.js';
import { runOf } from './frame.js';
import { resourceBlocks } from './resources.js';
import { benchmarkNamed, benchmarksOf } from './scope.js';
import { renderTemplate } from './template.js';
import { trialBlocks } from './trials/section.js';

const HEAD = new URL('details-head.md', import.meta.url);

/**
 * @import { BenchmarkResult, CaseResult, Check, Result } from '../result/schema.js'
 * @import { Benchmark, Suite } from '../run/types.js'
 * @import { Column } from '../table.js'
 * @import { Block } from './blocks.js'
 * @import { Figures } from './document.js'
 */

/**
 * @param {Result} result
 * @param {readonly Suite[]} suites
 * @param {Figures} figures
 * @returns {string} Markdown; ends with a line break
 */
export function renderDetails(result, suites, figures) {
  const head = renderTemplate(HEAD, { run: runOf(result) }, figures);
  return `${head}\n\n${renderSections(result, suites, figures)}\n`;
}

/**
 * @param {Result} result
 * @param {readonly Suite[]} suites the known suites; an unknown benchmark gets a table with every column
 * @param {Figures} figures
 * @returns {string} Markdown: the introductions of the suites, a section for each benchmark, then how to read them
 */
export function renderSections(result, suites, figures) {
  const introductions = suites.flatMap((suite) => {
    const benchmarks = benchmarksOf(suite, result);
    return benchmarks.length > 0 && suite.details ? suite.details({ ...result, benchmarks }) : [];
  });
  const blocks = [
    ...introductions,
    ...result.benchmarks.flatMap((each) => section(each, benchmarkNamed(suites, each.name), result)),
  ];
  return `${renderBlocks(blocks, figures)}\n\n${renderEnd(result, figures)}`;
}

/**
 * @param {BenchmarkResult} measured
 * @param {Benchmark | undefined} benchmark undefined: no suite has it
 * @param {Result} result
 * @returns {Block[]}
 */
function section(measured, benchmark, result) {
  const { question, status, reason, cases, checks, findings, notMeasured = [] } = measured;
  const isFailure = isFailureBenchmark(measured);
  const hasCases = cases.length > 0;
  const columns = benchmark?.table ?? (isFailure ? [] : DEFAULT_COLUMNS);
  const titles = benchmark?.kind === 'trial' ? benchmark.titles : undefined;
  return [
    heading(2, benchmarkHeading(measured, benchmark)),
    markdown(`*${escapeProse(question)}*`),
    ...(status === 'ok'
      ? []
      : [markdown(`**${status === 'failed' ? 'Failed' : 'Skipped'}.** ${escapeProse(reason ?? '')}`.trimEnd())]),
    ...(hasCases && benchmark ? [text([benchmark.method, paceText(measured)].join(' ').trim())] : []),
    list(findings.map((finding) => finding.text)),
    ...(hasCases ? (benchmark?.charts?.(measured, result) ?? []) : []).flatMap((each) => (each ? chart(each) : [])),
    ...(hasCases ? caseTable(cases, columns) : []),
    ...(isFailure ? trialBlocks(measured, result, { title: benchmark?.title, titles }) : []),
    ...(hasCases ? (benchmark?.details?.(measured, result) ?? []) : []),
    ...(notMeasured.length > 0 ? [text('Cases not measured:'), list(notMeasuredLines(notMeasured))] : []),
    ...(benchmark?.usePerNode ? resourceBlocks(measured) : []),
    ...(checks.length > 0 ? [text('Checks:'), markdown(checks.map((each) => `- ${checkText(each)}`).join('\n'))] : []),
  ];
}

/** @param {CaseResult[]} cases @param {readonly Column<CaseResult>[]} columns @returns {Block[]} */
function caseTable(cases, columns) {
  if (columns.length === 0) return [];
  const note = `${TOO_FEW}: too few values. A percentile needs ${ENOUGH_BEYOND} independent values beyond it.`;
  const shown = table(columns, cases);
  return [shown, ...(cellsOf(shown).flat().includes(TOO_FEW) ? [text(note)] : [])];
}

/** @param {BenchmarkResult} benchmark */
function paceText({ pace }) {
  return pace === undefined ? '' : `Measured in ${plural(pace.rounds, 'round')} of ${pace.seconds} s a case.`;
}

/** @param {Check} check */
function checkText({ name, ok, skipped, detail }) {
  if (skipped) return `${escapeText(name)}: skipped. ${escapeProse(detail)}`;
  return ok
    ? `${escapeText(name)}: ok. ${escapeProse(detail)}`
    : `**${escapeText(name)}: failed.** ${escapeProse(detail)}`;
}
