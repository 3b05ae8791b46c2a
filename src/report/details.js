/**
 * details.md: every case, table, timeline and check of a result, and how to read them.
 */

import { isFailureBenchmark } from '../audit/of-trials.js';
import { benchmarkHeading, count, notMeasuredLines, plural } from '../format.js';
import { cellsOf } from '../table.js';
import { agentBlocks } from './agents.js';
import {
  chart,
  escapeProse,
  escapeText,
  heading,
  list,
  markdown,
  renderBlocks,
  rightAligned,
  table,
  text,
} from './blocks.js';
import { chartsOf } from './charts/of-benchmark.js';
import { claimBlocks } from './claims/show.js';
import { DEFAULT_COLUMNS, ENOUGH_BEYOND, limitedBy, outcomesOf, TOO_FEW } from './columns.js';
import { circumstances } from './how-to-read.js';
import { resourceBlocks } from './resources.js';
import { benchmarksOf, environmentText, scopeText } from './scope.js';
import { trialBlocks } from './trials/section.js';

/**
 * @import { BenchmarkResult, CaseResult, Check, Result } from '../result/schema.js'
 * @import { Benchmark, Column, Suite } from '../run/types.js'
 * @import { Row } from './claims/index.js'
 * @import { Block } from './blocks.js'
 * @import { Figures } from './document.js'
 */

/**
 * @param {Result} result
 * @param {readonly Suite[]} suites
 * @param {Figures} figures
 * @param {readonly Row[]} [answers] to the claims of articles
 * @returns {string} Markdown; ends with a line break
 */
export function renderDetails(result, suites, figures, answers) {
  const sections = [
    `# sentinel-bench: ${escapeText(result.suite)}, details`,
    escapeProse(`${scopeText(result)}.`),
    escapeProse(`${environmentText(result)}.`),
    renderSections(result, suites, figures, answers),
  ];
  return `${sections.join('\n\n')}\n`;
}

/**
 * @param {Result} result
 * @param {readonly Suite[]} suites the known suites; an unknown benchmark gets a table with every column
 * @param {Figures} figures
 * @param {readonly Row[]} [answers] to the claims of articles
 * @returns {string} Markdown: the introductions of the suites, a section for each benchmark, then how to read them
 */
export function renderSections(result, suites, figures, answers = []) {
  const byName = new Map(
    suites.flatMap(({ benchmarks }) => benchmarks.map((benchmark) => [benchmark.name, benchmark])),
  );
  const introductions = suites.flatMap((suite) => {
    const benchmarks = benchmarksOf(suite, result);
    return benchmarks.length > 0 && suite.details ? suite.details({ ...result, benchmarks }) : [];
  });
  const blocks = [
    ...introductions,
    ...result.benchmarks.flatMap((each) => section(each, byName.get(each.name), { result, figures, answers })),
    ...agentBlocks(result),
    ...circumstances(result),
  ];
  return renderBlocks(blocks, figures);
}

/**
 * @param {BenchmarkResult} measured
 * @param {Benchmark | undefined} benchmark undefined: no suite has it
 * @param {{result: Result, figures: Figures, answers: readonly Row[]}} report
 * @returns {Block[]}
 */
function section(measured, benchmark, { result, figures, answers }) {
  const { question, status, reason, cases, checks, findings, notMeasured = [] } = measured;
  const isFailure = isFailureBenchmark(measured);
  const hasCases = cases.length > 0;
  const columns = benchmark?.table ?? (isFailure ? [] : DEFAULT_COLUMNS);
  const isLimitShown = columns.some(({ title }) => title === limitedBy.title);
  const titles = benchmark?.kind === 'trial' ? benchmark.titles : undefined;
  return [
    heading(2, benchmarkHeading(measured, benchmark)),
    markdown(`*${escapeProse(question)}*`),
    ...(status === 'ok'
      ? []
      : [markdown(`**${status === 'failed' ? 'Failed' : 'Skipped'}.** ${escapeProse(reason ?? '')}`.trimEnd())]),
    ...(hasCases && benchmark ? [text([benchmark.method, paceText(measured)].join(' ').trim())] : []),
    list(findings.map((finding) => finding.text)),
    ...chartsOf(measured, benchmark, result).map(chart),
    ...(hasCases ? caseTable(cases, columns) : []),
    ...(isFailure ? trialBlocks(measured, { title: benchmark?.title, titles, live: figures.live }) : outcomes(cases)),
    ...(isFailure || isLimitShown || !hasCases ? [] : limits(cases)),
    ...(hasCases ? (benchmark?.details?.(measured, result) ?? []) : []),
    ...(hasCases ? claimBlocks(answers, measured.name) : []),
    ...(notMeasured.length > 0 ? [text('Cases not measured:'), list(notMeasuredLines(notMeasured))] : []),
    ...resourceBlocks(measured, benchmark?.usePerNode),
    ...(checks.length > 0 ? [text('Checks:'), markdown(checks.map((each) => `- ${checkText(each)}`).join('\n'))] : []),
  ];
}

/**
 * @param {CaseResult[]} cases
 * @param {readonly Column[]} columns
 * @returns {Block[]}
 */
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

/**
 * @param {CaseResult[]} cases
 * @returns {Block[]} a row for each case that has writes without the acknowledgement it asked for
 */
function outcomes(cases) {
  const rows = cases.flatMap((one) => {
    const { acked, underAcked, rejected, unknown } = outcomesOf(one);
    if (underAcked + rejected + unknown === 0) return [];
    return [[one.id, ...[acked, underAcked, rejected, unknown].map(count), errorsOf(one)]];
  });
  if (rows.length === 0) return [];
  const numbers = rightAligned(['acked', 'underAcked', 'rejected', 'unknown']);
  return [text('Writes without the acknowledgement that was asked for:'), table(['case', ...numbers, 'errors'], rows)];
}

/** @param {CaseResult} one */
function errorsOf({ rounds }) {
  /** @type {Map<string, number>} */
  const total = new Map();
  for (const { errors } of rounds) {
    for (const [kind, times] of Object.entries(errors)) total.set(kind, (total.get(kind) ?? 0) + times);
  }
  return [...total].map(([kind, times]) => `${kind} × ${count(times)}`).join(', ');
}

/**
 * @param {CaseResult[]} cases
 * @returns {Block[]}
 */
function limits(cases) {
  const names = /** @type {const} */ (['client', 'primary', 'machine', 'nothing']);
  const lines = names.flatMap((limit) => {
    const ids = cases.filter(({ summary }) => summary.limitedBy === limit).map(({ id }) => id);
    if (ids.length === 0) return [];
    return `${limit}: ${ids.length === cases.length && ids.length > 1 ? 'every case' : ids.join(', ')}`;
  });
  return [text('Limited by:'), list(lines)];
}

/** @param {Check} check */
function checkText({ name, ok, skipped, detail }) {
  if (skipped) return `${escapeText(name)}: skipped. ${escapeProse(detail)}`;
  return ok
    ? `${escapeText(name)}: ok. ${escapeProse(detail)}`
    : `**${escapeText(name)}: failed.** ${escapeProse(detail)}`;
}
