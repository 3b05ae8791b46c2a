/**
 * details.md: every case, table, timeline and check of a result, and how to read them.
 */
import { markdownTable } from 'markdown-table';
import { claimBlocks } from './articles.js';
import { bulletList, escapeProse, escapeText, renderBlocks } from './blocks.js';
import { chartsOf } from './charts/of-benchmark.js';
import { DEFAULT_COLUMNS, ENOUGH_BEYOND, limitedBy, outcomesOf, TOO_FEW } from './columns.js';
import { count, notMeasuredLines, plural } from './format.js';
import { benchmarksOf, environmentText, scopeText } from './front-page.js';
import { renderCircumstances } from './how-to-read.js';
import { renderResources } from './resources.js';
import { isFailureBenchmark } from './trials/figures.js';
import { renderTrials } from './trials/section.js';

/**
 * @import { BenchmarkResult, CaseResult, Check, Result } from '../result/schema.js'
 * @import { Benchmark, Column, Suite } from '../run/types.js'
 * @import { Claim } from './articles.js'
 * @import { Figures } from './document.js'
 */

/**
 * @param {Result} result
 * @param {readonly Suite[]} suites
 * @param {Figures} figures
 * @returns {string} Markdown; ends with a line break
 */
export function renderDetails(result, suites, figures) {
  const sections = [
    `# sentinel-bench: ${escapeText(result.suite)}, details`,
    escapeProse(`${scopeText(result)}.`),
    escapeProse(`${environmentText(result)}.`),
    renderSections(result, suites, figures),
  ];
  return `${sections.join('\n\n')}\n`;
}

/**
 * @param {Result} result
 * @param {readonly Suite[]} suites those it knows; a benchmark of no suite has a table with every column
 * @param {Figures} figures
 * @returns {string} Markdown: what the suites begin with, a section for each benchmark, then how to read them
 */
export function renderSections(result, suites, figures) {
  const known = new Map(suites.flatMap(({ benchmarks }) => benchmarks.map((benchmark) => [benchmark.name, benchmark])));
  const intros = suites.flatMap((suite) => {
    const benchmarks = benchmarksOf(suite, result);
    return benchmarks.length > 0 && suite.details ? suite.details({ ...result, benchmarks }) : [];
  });
  const claims = suites.flatMap((suite) => suite.claims ?? []);
  return [
    ...(intros.length > 0 ? [renderBlocks(intros, figures)] : []),
    ...result.benchmarks.map((each) => renderBenchmark(each, known.get(each.name), { result, figures, claims })),
    renderCircumstances(result),
  ].join('\n\n');
}

/**
 * @param {BenchmarkResult} measured
 * @param {Benchmark | undefined} benchmark
 * @param {{result: Result, figures: Figures, claims: readonly Claim[]}} report
 */
function renderBenchmark(measured, benchmark, { result, figures, claims }) {
  const { name, question, status, reason, cases, checks, findings } = measured;
  const parts = [`## ${name}`, `*${escapeProse(question)}*`];
  if (status !== 'ok')
    parts.push(`**${status === 'failed' ? 'Failed' : 'Skipped'}.** ${escapeProse(reason ?? '')}`.trimEnd());
  if (cases.length > 0 && benchmark) parts.push(escapeProse([benchmark.method, paceText(measured)].join(' ').trim()));
  parts.push(bulletList(findings.map(({ text }) => escapeProse(text))));
  parts.push(...chartsOf(measured, benchmark, result).map(figures.figure));
  const columns = benchmark?.table ?? (isFailureBenchmark(measured) ? [] : DEFAULT_COLUMNS);
  if (cases.length > 0 && columns.length > 0) parts.push(renderTable(cases, columns));
  if (isFailureBenchmark(measured))
    parts.push(renderTrials(measured, figures, benchmark?.kind === 'trial' ? benchmark.titles : undefined));
  else if (cases.length > 0) {
    parts.push(renderOutcomes(cases));
    if (!columns.some(({ title }) => title === limitedBy.title)) parts.push(renderLimits(cases));
  }
  if (cases.length > 0 && benchmark?.details) parts.push(renderBlocks(benchmark.details(measured, result), figures));
  if (cases.length > 0) parts.push(renderBlocks(claimBlocks(claims, measured, result), figures));
  parts.push(renderNotMeasured(measured), renderResources(measured, benchmark?.usePerNode));
  if (checks.length > 0) parts.push(`Checks:\n\n${bulletList(checks.map(renderCheck))}`);
  return parts.filter((part) => part !== '').join('\n\n');
}

/** @param {BenchmarkResult} benchmark */
function renderNotMeasured({ notMeasured = [] }) {
  if (notMeasured.length === 0) return '';
  return `Cases that were not measured:\n\n${bulletList(notMeasuredLines(notMeasured).map(escapeProse))}`;
}

/**
 * @param {CaseResult[]} cases
 * @param {readonly Column[]} columns
 */
function renderTable(cases, columns) {
  const rows = cases.map((one) => columns.map(({ cell }) => escapeText(cell(one))));
  const header = columns.map(({ title }) => escapeText(title));
  const table = markdownTable([header, ...rows], { align: columns.map(({ align }) => align) });
  return rows.flat().includes(TOO_FEW)
    ? `${table}\n\n${TOO_FEW} : too few values to tell; of a percentile, fewer than ${ENOUGH_BEYOND} independent ones beyond it.`
    : table;
}

/** @param {BenchmarkResult} benchmark */
function paceText({ pace }) {
  return pace === undefined
    ? ''
    : `It has a pace of its own: ${plural(pace.rounds, 'round')} of ${pace.seconds} s a case.`;
}

/** @param {CaseResult[]} cases */
function renderOutcomes(cases) {
  const rows = [];
  for (const one of cases) {
    const { acked, underAcked, rejected, unknown } = outcomesOf(one);
    if (underAcked + rejected + unknown === 0) continue;
    rows.push([escapeText(one.id), ...[acked, underAcked, rejected, unknown].map(count), escapeText(errorsOf(one))]);
  }
  if (rows.length === 0) return '';
  const header = ['case', 'acked', 'underAcked', 'rejected', 'unknown', 'errors'];
  const table = markdownTable([header, ...rows], { align: ['left', 'right', 'right', 'right', 'right', 'left'] });
  return `Writes that were not acked as asked:\n\n${table}`;
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

/** @param {CaseResult[]} cases */
function renderLimits(cases) {
  const limits = /** @type {const} */ (['client', 'primary', 'machine', 'nothing']);
  const lines = limits.flatMap((limit) => {
    const ids = cases.filter(({ summary }) => summary.limitedBy === limit).map(({ id }) => escapeText(id));
    if (ids.length === 0) return [];
    return `${limit}: ${ids.length === cases.length && ids.length > 1 ? 'every case' : ids.join(', ')}`;
  });
  return `What limited the cases:\n\n${bulletList(lines)}`;
}

/** @param {Check} check */
function renderCheck({ name, ok, detail }) {
  return ok
    ? `${escapeText(name)}: ok. ${escapeProse(detail)}`
    : `**${escapeText(name)}: failed.** ${escapeProse(detail)}`;
}
