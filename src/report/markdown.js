/**
 * A result as a report in Markdown, as GitHub shows it.
 */
import { markdownTable } from 'markdown-table';
import { chartsOf, topCharts } from './charts/index.js';
import { DEFAULT_COLUMNS, ENOUGH_BEYOND, limitedBy, outcomesOf, TOO_FEW } from './columns.js';
import { renderCopy } from './copy-text.js';
import { SWEEP } from './decision.js';
import { isFailureBenchmark } from './failure-totals.js';
import { bytes, count, notMeasuredLines, plural, rate } from './format.js';
import { headlines } from './headline.js';
import { renderShortfall } from './link-shortfall-text.js';
import { renderCircumstances } from './markdown-circumstances.js';
import { renderDecision } from './markdown-decision.js';
import { renderFirstTables } from './markdown-failure.js';
import { renderFailure } from './markdown-failure-section.js';
import { renderPersistence } from './markdown-persistence.js';
import { renderResources, resourcesAnswer } from './markdown-resources.js';
import { escapeProse, escapeText, linkTo, list } from './markdown-text.js';

/** @typedef {import('./schema.js').Result} Result */
/** @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult */
/** @typedef {import('./schema.js').CaseResult} CaseResult */
/** @typedef {Pick<import('../run/types.js').Benchmark, 'method' | 'table' | 'charts'>} Presentation */
/** @typedef {import('./markdown-figures.js').Figures} Figures */

/** What a benchmark shows beside its table. @type {Readonly<Record<string, (benchmark: BenchmarkResult) => string>>} */
const MORE = Object.freeze({ 'link-shortfall': renderShortfall, copy: renderCopy });

/**
 * @param {Result} result
 * @param {ReadonlyMap<string, Presentation>} benchmarks name → how it is shown; one that is not there gets a table with
 *   every column
 * @param {Figures} figures
 * @returns {string} ends with a line break
 */
export function renderMarkdown(result, benchmarks, figures) {
  const sections = [
    `# sentinel-bench: ${escapeText(result.suite)}`,
    renderRun(result),
    '## In short',
    renderShort(result),
    ...topCharts(result).map(figures.figure),
    renderDecision(result),
    renderFirstTables(result),
    resourcesAnswer(result),
    ...result.benchmarks.map((benchmark) =>
      renderBenchmark(benchmark, benchmarks.get(benchmark.name), { result, figures }),
    ),
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
    renderProfile(profile, benchmarks),
    `${server.name} ${server.version}, backend ${backend} (${path})`,
    machine.join(', '),
  ];
  return escapeText(parts.join(' · '));
}

/**
 * @param {Result['profile']} profile
 * @param {BenchmarkResult[]} benchmarks
 */
function renderProfile({ name, rounds, seconds, trials, writesPerSecond }, benchmarks) {
  const parts = [];
  const measured = benchmarks.filter(({ cases }) => cases.length > 0);
  if (!measured.every((each) => each.pace !== undefined || isFailureBenchmark(each)))
    parts.push(`${plural(rounds, 'round')} of ${seconds} s a case`);
  if (trials !== undefined && benchmarks.some(isFailureBenchmark)) {
    const load = writesPerSecond === undefined ? '' : `, ${rate(writesPerSecond)} from each writer of our own`;
    parts.push(`${plural(trials, 'trial')} a case of a failure${load}`);
  }
  const own = new Set(
    benchmarks.flatMap(({ pace }) => (pace ? `${plural(pace.rounds, 'round')} of ${pace.seconds} s` : [])),
  );
  if (parts.length === 0) parts.push(...[...own].map((text) => `${text} a case`));
  return `profile ${name}${parts.length === 0 ? '' : ` (${parts.join('; ')})`}`;
}

/** @param {Result} result */
function renderShort(result) {
  const { benchmarks } = result;
  const lines = [];
  for (const { name, checks } of benchmarks) {
    for (const check of checks.filter(({ ok }) => !ok)) {
      lines.push(`**${linkTo(name)}: check failed: ${escapeText(check.name)}.** ${escapeProse(check.detail)}`);
    }
  }
  for (const { name, reason } of benchmarks.filter(({ status }) => status === 'failed')) {
    lines.push(`**${linkTo(name)}: failed.** ${escapeProse(reason ?? '')}`.trimEnd());
  }
  for (const { benchmark, text } of headlines(result))
    lines.push(benchmark === null ? escapeProse(text) : `${linkTo(benchmark)}: ${escapeProse(text)}`);
  const skipped = benchmarks.filter(({ status }) => status === 'skipped').map(({ name }) => linkTo(name));
  if (skipped.length > 0) lines.push(`Not measured: ${skipped.join(', ')}; the reasons stand below.`);
  return lines.length === 0 ? 'Nothing: no benchmark computed a finding from its numbers.' : list(lines);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Presentation | undefined} presentation
 * @param {{result: Result, figures: Figures}} report
 */
function renderBenchmark(benchmark, presentation, { result, figures }) {
  const { storage, storageNotMeasured, environment } = result;
  const { name, question, status, reason, cases, checks } = benchmark;
  const parts = [`## ${name}`, `*${escapeProse(question)}*`];
  if (status !== 'ok')
    parts.push(`**${status === 'failed' ? 'Failed' : 'Skipped'}.** ${escapeProse(reason ?? '')}`.trimEnd());
  if (cases.length > 0 && presentation)
    parts.push(escapeProse([presentation.method, paceText(benchmark)].join(' ').trim()));
  parts.push(list(benchmark.findings.map(({ text }) => escapeProse(text))));
  parts.push(...chartsOf(benchmark, presentation, result).map(figures.figure));
  if (isFailureBenchmark(benchmark)) {
    if (presentation && presentation.table.length > 0 && cases.length > 0)
      parts.push(renderTable(cases, presentation.table));
    const course = renderFailure(benchmark, figures);
    // Of a sweep the table tells; what it was made of is there for whoever doubts it.
    parts.push(SWEEP.includes(benchmark.name) ? fold('Each trial: counts, windows and course', course) : course);
  } else if (benchmark.name === 'persistence') {
    parts.push(
      renderPersistence(benchmark, { storages: storage, notMeasured: storageNotMeasured, cores: environment.cores }),
      renderOutcomes(cases),
    );
  } else if (cases.length > 0) {
    const columns = presentation?.table ?? DEFAULT_COLUMNS;
    parts.push(renderTable(cases, columns), renderOutcomes(cases));
    if (!columns.some(({ title }) => title === limitedBy.title)) parts.push(renderLimits(cases));
  }
  parts.push(MORE[name]?.(benchmark) ?? '', renderNotMeasured(benchmark), renderResources(benchmark));
  if (checks.length > 0) {
    parts.push(`Checks:\n\n${list(checks.map(renderCheck))}`);
  }
  return parts.filter((part) => part !== '').join('\n\n');
}

/** @param {BenchmarkResult} benchmark */
function renderNotMeasured({ notMeasured = [] }) {
  if (notMeasured.length === 0) return '';
  return `Cases that were not measured:\n\n${list(notMeasuredLines(notMeasured).map(escapeProse))}`;
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

/**
 * @param {string} summary
 * @param {string} content
 */
function fold(summary, content) {
  return content === '' ? '' : `<details>\n\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
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
  return `What limited the cases:\n\n${list(lines)}`;
}

/** @param {import('./schema.js').Check} check */
function renderCheck({ name, ok, detail }) {
  return ok
    ? `${escapeText(name)}: ok. ${escapeProse(detail)}`
    : `**${escapeText(name)}: failed.** ${escapeProse(detail)}`;
}
