/**
 * report.md: what every page begins and ends with, and the pages of the suites between. A benchmark whose suite has no page gets its
 * section of details.md; one of an earlier version does not, beside a page.
 * @import { Result } from '../result/schema.js' @import { Suite } from '../run/types.js' @import { Figures } from './document.js'
 */

import { shorten } from '../format.js';
import { renderSection } from './details.js';
import { runOf } from './run.js';
import { benchmarkNamed, benchmarksBySuite } from './scope.js';
import { renderTemplate } from './template.js';

const FRAME = new URL('frame.md', import.meta.url);
/** details.md has the whole text of a failed check. */
const PROBLEM_CHARACTERS = 100;

/** @param {Result} result @param {readonly Suite[]} suites @param {Figures} figures @returns {string} Markdown; ends with a line break */
export function renderFrontPage(result, suites, figures) {
  const run = runOf(result);
  const parts = benchmarksBySuite(result, suites);
  const bodies = parts.flatMap(({ suite, benchmarks }) => {
    const part = { ...result, benchmarks };
    if (suite.page === undefined || part.benchmarks.length === 0) return [];
    return renderTemplate(suite.page.template, { ...suite.page.data(part), run, common: commonOf(part) }, figures);
  });
  const paged = new Set(parts.flatMap(({ suite, benchmarks }) => (suite.page ? benchmarks : [])));
  const sections = result.benchmarks
    .filter((benchmark) => !paged.has(benchmark) && (paged.size === 0 || benchmarkNamed(suites, benchmark.name)))
    .filter(({ status }) => status !== 'failed')
    .map((each) => renderSection(each, benchmarkNamed(suites, each.name), { result, figures }));
  const body = [...bodies, ...sections].filter((part) => part !== '').join('\n\n');
  return `${renderTemplate(FRAME, { run, problems: problemsOf(result), body }, figures)}\n`;
}

/** @param {Result} result @returns {string[]} failures and failed checks; code between backticks */
function problemsOf({ benchmarks }) {
  return benchmarks.flatMap(({ name, status, reason, checks }) => [
    ...(status === 'failed' ? [`\`${name}\` failed. ${reason ?? ''}`.trimEnd()] : []),
    ...checks.flatMap(({ name: check, ok, detail }) =>
      ok ? [] : [`\`${name}\`: ${check}. ${shorten(detail, PROBLEM_CHARACTERS)}`],
    ),
  ]);
}

/** @param {Result} result @returns {Record<string, unknown>} `common` of a template: what the limits of every page may say */
function commonOf({ benchmarks, stack }) {
  const skipped = benchmarks.filter(({ status }) => status === 'skipped');
  return { skipped: skipped.map(({ name, reason = '' }) => ({ name, reason })), inMemory: stack.inMemory === true };
}
