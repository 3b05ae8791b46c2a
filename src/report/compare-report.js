/**
 * A comparison as a report: Markdown with pictures beside it, and a page of its own. Pure functions of the comparison.
 */
import { comparisonChart } from './charts/comparison.js';
import { casesThatAre } from './compare.js';
import { failuresThatAre } from './compare-failures.js';
import {
  caseRows,
  circumstancesText,
  failureRows,
  onlyText,
  sidesText,
  tableOf,
  unknownText,
  verdictLine,
} from './compare-markdown.js';
import { chanceText } from './compare-text.js';
import { makeDocument } from './document.js';
import { escapeText } from './markdown-text.js';

/**
 * @typedef {import('./compare-markdown.js').Compared} Compared
 * @typedef {import('./markdown-figures.js').Figures} Figures
 */

const TITLE = 'sentinel-bench: comparison';

/**
 * @param {Compared} compared
 * @returns {import('./document.js').Report}
 */
export function makeComparisonReport(compared) {
  return makeDocument(TITLE, (figures) => renderMarkdown(compared, figures));
}

/**
 * @param {Compared} compared
 * @param {Figures} figures
 */
function renderMarkdown(compared, figures) {
  const { comparison } = compared;
  const { cases, failures = [] } = comparison;
  const benchmarks = [...new Set(cases.map(({ benchmark }) => benchmark))];
  const sections = [
    `# ${TITLE}`,
    verdictLine(comparison),
    sidesText(compared),
    tellingText(compared),
    escapeText(chanceText(comparison)),
    '## Circumstances',
    circumstancesText(comparison),
    ...benchmarks.map((benchmark) => renderBenchmark(compared, benchmark, figures)),
    failures.length === 0 ? '' : '## All failures',
    failures.length === 0 ? '' : tableOf(failureRows(failures), 3),
    unknownText(failures),
    onlyText('A', comparison.onlyInA),
    onlyText('B', comparison.onlyInB),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/**
 * @param {Compared} compared
 * @returns {string} what is worse, then what is better
 */
function tellingText(compared) {
  const { comparison } = compared;
  const parts = [];
  for (const [verdict, heading] of /** @type {const} */ ([
    ['worse', '## Worse'],
    ['better', '## Better'],
  ])) {
    const cases = casesThatAre(comparison, verdict);
    const failures = failuresThatAre(comparison.failures ?? [], verdict);
    if (cases.length + failures.length === 0) continue;
    parts.push(heading);
    if (cases.length > 0)
      parts.push(
        tableOf(
          caseRows(compared, (one) => one.verdict === verdict, { named: true }),
          2,
        ),
      );
    if (failures.length > 0) parts.push(tableOf(failureRows(failures), 3));
  }
  return parts.join('\n\n');
}

/**
 * @param {Compared} compared
 * @param {string} benchmark
 * @param {Figures} figures
 */
function renderBenchmark(compared, benchmark, { figure }) {
  const { comparison } = compared;
  const chart = comparisonChart(comparison, benchmark);
  const own = comparison.cases.filter((one) => one.benchmark === benchmark);
  const failure = (comparison.failures ?? []).some((one) => one.benchmark === benchmark);
  // Of a trial or two with a failure in them, throughput tells nothing; what was lost has a table of its own.
  if (failure && own.every(({ ratio }) => ratio === null)) return '';
  const table = tableOf(
    caseRows(compared, (one) => one.benchmark === benchmark),
    1,
  );
  return [`## ${benchmark}`, ...(chart ? [figure(chart)] : []), table].join('\n\n');
}
