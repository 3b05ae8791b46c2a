/**
 * A result as a report in Markdown, as GitHub shows it.
 */
import { markdownTable } from 'markdown-table';
import { DEFAULT_COLUMNS, ENOUGH_BEYOND, limitedBy, outcomesOf, TOO_FEW } from './columns.js';
import { isFailureBenchmark, onlyFailures } from './failure-totals.js';
import { bytes, count, plural, rate } from './format.js';
import { renderCircumstances } from './markdown-circumstances.js';
import { renderFirstTables } from './markdown-failure.js';
import { renderFailure } from './markdown-failure-section.js';
import { escapeProse, escapeText, linkTo, list } from './markdown-text.js';

/** @typedef {import('./schema.js').Result} Result */
/** @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult */
/** @typedef {import('./schema.js').CaseResult} CaseResult */
/** @typedef {Pick<import('../run/types.js').Benchmark, 'method' | 'table'>} Presentation */

/**
 * @param {Result} result
 * @param {ReadonlyMap<string, Presentation>} benchmarks name → how it is shown; one that is not there gets a table with
 *   every column
 * @returns {string} ends with a line break
 */
export function renderMarkdown(result, benchmarks) {
  const sections = [
    `# sentinel-bench: ${escapeText(result.suite)}`,
    renderRun(result),
    renderFirstTables(result),
    '## What was found',
    renderFindings(result.benchmarks),
    ...result.benchmarks.map((benchmark) => renderBenchmark(benchmark, benchmarks.get(benchmark.name))),
    renderCircumstances(result),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** @param {Result} result */
function renderRun({ startedAt, profile, cluster, environment, benchmarks }) {
  const { server, backend, path } = cluster;
  const machine = [`${environment.cores} × ${environment.cpuModel}`, bytes(environment.memoryBytes), environment.os];
  if (environment.virtualization !== '') machine.push(environment.virtualization);
  const parts = [
    `${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
    `profile ${profile.name} (${renderProfile(profile, benchmarks)})`,
    `${server.name} ${server.version}, backend ${backend} (${path})`,
    machine.join(', '),
  ];
  return escapeText(parts.join(' · '));
}

/**
 * @param {Result['profile']} profile
 * @param {BenchmarkResult[]} benchmarks
 */
function renderProfile({ rounds, seconds, trials, writesPerSecond }, benchmarks) {
  const parts = [];
  if (!onlyFailures(benchmarks)) parts.push(`${plural(rounds, 'round')} of ${seconds} s a case`);
  if (trials !== undefined && benchmarks.some(isFailureBenchmark)) {
    const load = writesPerSecond === undefined ? '' : `, ${rate(writesPerSecond)} from each writer of our own`;
    parts.push(`${plural(trials, 'trial')} a case of a failure${load}`);
  }
  return parts.join('; ');
}

/** @param {BenchmarkResult[]} benchmarks */
function renderFindings(benchmarks) {
  const lines = [];
  for (const { name, checks } of benchmarks) {
    for (const check of checks.filter(({ ok }) => !ok)) {
      lines.push(`**${linkTo(name)}: check failed: ${escapeText(check.name)}.** ${escapeProse(check.detail)}`);
    }
  }
  for (const { name, reason } of benchmarks.filter(({ status }) => status === 'failed')) {
    lines.push(`**${linkTo(name)}: failed.** ${escapeProse(reason ?? '')}`.trimEnd());
  }
  for (const { name, findings } of benchmarks) {
    for (const { text } of findings) lines.push(`${linkTo(name)}: ${escapeProse(text)}`);
  }
  const skipped = benchmarks.filter(({ status }) => status === 'skipped').map(({ name }) => linkTo(name));
  if (skipped.length > 0) lines.push(`Not measured: ${skipped.join(', ')}; the reasons stand below.`);
  return lines.length === 0 ? 'Nothing: no benchmark computed a finding from its numbers.' : list(lines);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Presentation | undefined} presentation
 */
function renderBenchmark(benchmark, presentation) {
  const { name, question, status, reason, cases, checks } = benchmark;
  const parts = [`## ${name}`, `*${escapeProse(question)}*`];
  if (status !== 'ok')
    parts.push(`**${status === 'failed' ? 'Failed' : 'Skipped'}.** ${escapeProse(reason ?? '')}`.trimEnd());
  if (cases.length > 0 && presentation) parts.push(escapeProse(presentation.method));
  if (isFailureBenchmark(benchmark)) {
    parts.push(list(benchmark.findings.map(({ text }) => escapeProse(text))));
    if (presentation && presentation.table.length > 0 && cases.length > 0)
      parts.push(renderTable(cases, presentation.table));
    parts.push(renderFailure(benchmark));
  } else if (cases.length > 0) {
    const columns = presentation?.table ?? DEFAULT_COLUMNS;
    parts.push(renderTable(cases, columns), renderOutcomes(cases));
    if (!columns.includes(limitedBy)) parts.push(renderLimits(cases));
  }
  if (checks.length > 0) {
    parts.push(`Checks:\n\n${list(checks.map(renderCheck))}`);
  }
  return parts.filter((part) => part !== '').join('\n\n');
}

/**
 * @param {CaseResult[]} cases
 * @param {readonly import('../run/types.js').Column[]} columns
 */
function renderTable(cases, columns) {
  const rows = cases.map((one) => columns.map(({ cell }) => escapeText(cell(one))));
  const header = columns.map(({ title }) => escapeText(title));
  const table = markdownTable([header, ...rows], { align: columns.map(({ align }) => align) });
  return rows.flat().includes(TOO_FEW)
    ? `${table}\n\n${TOO_FEW} : too few values to tell; of a percentile, fewer than ${ENOUGH_BEYOND} independent ones beyond it.`
    : table;
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
  return `What limited the cases:\n\n${list(lines)}`;
}

/** @param {import('./schema.js').Check} check */
function renderCheck({ name, ok, detail }) {
  return ok
    ? `${escapeText(name)}: ok. ${escapeProse(detail)}`
    : `**${escapeText(name)}: failed.** ${escapeProse(detail)}`;
}
