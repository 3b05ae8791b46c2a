/**
 * details.md: every case, table, timeline and check of a result, and how to read them.
 * @import { BenchmarkResult, Result } from '../result/schema.js' @import { Benchmark, Suite } from '../run/types.js'
 * @import { Figures } from './document.js'
 */

import { isFailureBenchmark } from '../audit/of-trials.js';
import { notMeasuredLines } from '../format.js';
import { ENOUGH_BEYOND } from '../stats/summary.js';
import { cellsOf } from '../table.js';
import { chart, renderBlocks, table } from './blocks.js';
import { DEFAULT_COLUMNS, TOO_FEW } from './columns.js';
import { renderEnd } from './details-end.js';
import { resourceBlocks } from './resources.js';
import { runOf } from './run.js';
import { benchmarkNamed, benchmarksBySuite } from './scope.js';
import { renderTemplate } from './template.js';
import { trialData } from './trials/section.js';

const HEAD = new URL('details-head.md', import.meta.url);
const SECTION = new URL('details-section.md', import.meta.url);

/** @param {Result} result @param {readonly Suite[]} suites @param {Figures} figures @returns {string} Markdown; ends with a line break */
export function renderDetails(result, suites, figures) {
  const head = renderTemplate(HEAD, { run: runOf(result) }, figures);
  return `${head}\n\n${renderSections(result, suites, figures)}\n`;
}

/**
 * @param {Result} result @param {readonly Suite[]} suites the known suites; an unknown benchmark gets a table with every column
 * @param {Figures} figures @returns {string} Markdown: the introductions of the suites, a section for each benchmark, then how to read them
 */
export function renderSections(result, suites, figures) {
  const introductions = benchmarksBySuite(result, suites).flatMap(({ suite, benchmarks }) =>
    benchmarks.length > 0 && suite.details ? suite.details({ ...result, benchmarks }) : [],
  );
  return [
    renderBlocks(introductions, figures),
    ...result.benchmarks.map((each) => renderSection(each, benchmarkNamed(suites, each.name), { result, figures })),
    renderEnd(result, figures),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** @param {BenchmarkResult} measured @param {Benchmark | undefined} benchmark undefined: no suite has it @param {{result: Result, figures: Figures}} run @returns {string} Markdown */
export function renderSection(measured, benchmark, { result, figures }) {
  const { question, status, reason = '', cases, checks, findings, notMeasured = [], pace = null } = measured;
  const isFailure = isFailureBenchmark(measured);
  const known = cases.length > 0 ? benchmark : undefined;
  const columns = benchmark?.table ?? (isFailure ? [] : DEFAULT_COLUMNS);
  const titles = benchmark?.kind === 'trial' ? benchmark.titles : undefined;
  const { trials, tables, charts } = isFailure
    ? trialData(measured, result, { title: benchmark?.title, titles })
    : { trials: null, tables: {}, charts: {} };
  const shown = table(columns, columns.length === 0 ? [] : cases);
  const data = {
    ...{ question, status, reason, pace, trials, charts },
    title: benchmark?.title === undefined ? measured.name : `${benchmark.title} (\`${measured.name}\`)`,
    method: known?.method ?? null,
    findings: findings.map(({ text }) => text),
    hasTooFew: cellsOf(shown).flat().includes(TOO_FEW),
    enough: ENOUGH_BEYOND,
    notMeasured: notMeasuredLines(notMeasured),
    checks: checks.map((check) => ({ skipped: false, ...check })),
    tables: { ...tables, cases: shown },
    blocks: {
      charts: (known?.charts?.(measured, result) ?? []).flatMap((each) => (each ? chart(each) : [])),
      details: known?.details?.(measured, result) ?? [],
      use: benchmark?.usePerNode ? resourceBlocks(measured) : [],
    },
  };
  return renderTemplate(SECTION, data, figures);
}
