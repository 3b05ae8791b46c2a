/**
 * A history as a report, and as a short table for the terminal.
 */
import Table from 'cli-table3';
import { FORMATS } from './charts/functions.js';
import { historyChart, METRIC_FORMATS, runLabels, tellingCourses } from './charts/history.js';
import { tableOf } from './compare-markdown.js';
import { differenceText } from './compare-text.js';
import { makeDocument } from './document.js';
import { count, interval, plural } from './format.js';
import { FIGURES } from './history.js';
import { PLAIN } from './load-table.js';
import { escapeText, list } from './markdown-text.js';
import { sparkline } from './sparkline.js';

/**
 * @typedef {import('./history.js').BenchmarkHistory} BenchmarkHistory
 * @typedef {import('./history.js').Course} Course
 * @typedef {import('./history.js').Run} Run
 */

const TITLE = 'sentinel-bench: history';
const COMMIT_DIGITS = 7;
/** Of the differences at one change; a new server alone brings dozens of new defaults. */
const MOST_DIFFERENCES = 6;
/** Characters of a course; of more runs the last are shown. */
const MOST_BLOCKS = 40;
/** Stands in a course where circumstances changed. */
const CHANGE = '¦';

/**
 * @param {BenchmarkHistory[]} histories
 * @param {{leftOut: number}} more files that could not be read
 * @returns {import('./document.js').Report}
 */
export function makeHistoryReport(histories, { leftOut }) {
  return makeDocument(TITLE, ({ figure }) => renderMarkdown(histories, { figure, leftOut }));
}

/**
 * @param {BenchmarkHistory[]} histories
 * @param {{figure: import('./markdown-figures.js').Figures['figure'], leftOut: number}} options
 */
function renderMarkdown(histories, { figure, leftOut }) {
  const runs = allRuns(histories);
  const sections = [
    `# ${TITLE}`,
    `${plural(runs.length, 'run')} of ${plural(histories.length, 'benchmark')}${leftOut > 0 ? `; ${plural(leftOut, 'file')} could not be read and ${leftOut === 1 ? 'is' : 'are'} left out` : ''}.`,
    ...histories.map((history) => renderBenchmark(history, figure)),
    '## Runs',
    tableOf(
      [['run', 'began (UTC)', 'suite', 'profile', 'commit', 'server', 'backend', 'machine'], ...runs.map(runRow)],
      8,
    ),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/**
 * @param {BenchmarkHistory} history
 * @param {import('./markdown-figures.js').Figures['figure']} figure
 */
function renderBenchmark(history, figure) {
  const { benchmark, metric, runs, changes } = history;
  const { some, none } = byLoss(history);
  const chart = historyChart(history);
  const labels = runLabels(runs);
  const changed = changes.map(
    ({ run, differences }, i) => `${i + 1}, before ${labels[run]}: ${escapeText(differencesText(differences))}`,
  );
  return [
    `## ${benchmark}`,
    ...(chart ? [figure(chart)] : []),
    ...(changed.length > 0 ? [`Changes of circumstances (before, after):\n\n${list(changed)}`] : []),
    `${FIGURES[metric]}, ${plural(runs.length, 'run')}${changes.length > 0 ? `; ${CHANGE} stands where circumstances changed` : ''}:`,
    ...(some.length > 0
      ? [tableOf([header(metric), ...some.map((course) => courseRow(course, history).map(escapeText))], 1)]
      : []),
    ...(none.length > 0
      ? [`Nothing was lost in any run of ${none.map(({ name }) => escapeText(name)).join(', ')}.`]
      : []),
  ].join('\n\n');
}

/** @param {BenchmarkHistory['metric']} metric */
function header(metric) {
  const against = metric === 'lost' ? [] : ['last against the one before'];
  return ['case', 'runs', 'first', 'last', ...against, 'course'];
}

/**
 * @param {Course} course
 * @param {Pick<BenchmarkHistory, 'metric' | 'changes'>} history
 * @returns {string[]}
 */
function courseRow({ name, points, last }, { metric, changes }) {
  const read = FORMATS[METRIC_FORMATS[metric]];
  const most = Math.max(...points.map(({ value }) => value.median));
  const blocks = points.map(({ run, value }, i) => {
    const before = points[i - 1]?.run ?? run;
    const changed = changes.some((change) => change.run > before && change.run <= run);
    return `${changed ? CHANGE : ''}${sparkline([value.median], most)}`;
  });
  return [
    name,
    count(points.length),
    read(points[0].value.median),
    interval(points[points.length - 1].value, read),
    ...(metric === 'lost' ? [] : [last === '' ? '–' : last]),
    blocks.slice(-MOST_BLOCKS).join(''),
  ];
}

/**
 * @param {BenchmarkHistory} history
 * @returns {{some: Course[], none: Course[]}} none: of which nothing was lost in any run
 */
function byLoss({ metric, courses }) {
  const isNone = (/** @type {Course} */ { points }) =>
    metric === 'lost' && points.every(({ value }) => value.high === 0);
  return { some: courses.filter((course) => !isNone(course)), none: courses.filter(isNone) };
}

/** @param {BenchmarkHistory['changes'][number]['differences']} differences */
function differencesText(differences) {
  const texts = differences.slice(0, MOST_DIFFERENCES).map(differenceText);
  const more = differences.length - texts.length;
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** @param {BenchmarkHistory[]} histories */
function allRuns(histories) {
  const byName = new Map(histories.flatMap(({ runs }) => runs.map((run) => [run.name, run])));
  return [...byName.values()].sort((a, b) => Date.parse(a.result.startedAt) - Date.parse(b.result.startedAt));
}

/** @param {Run} run */
function runRow({ name, result: { startedAt, suite, profile, tool, cluster, environment } }) {
  return [
    name,
    startedAt.slice(0, 16).replace('T', ' '),
    suite,
    profile.name,
    tool.commit === null ? '–' : tool.commit.slice(0, COMMIT_DIGITS),
    `${cluster.server.name} ${cluster.server.version}`,
    cluster.backend,
    `${environment.cores} × ${environment.cpuModel}`,
  ].map(escapeText);
}

/**
 * @param {BenchmarkHistory[]} histories
 * @returns {string} several lines: of each benchmark the cases that its chart shows
 */
export function renderHistory(histories) {
  return histories.map(historyText).join('\n\n');
}

/** @param {BenchmarkHistory} history */
function historyText(history) {
  const { benchmark, metric, runs, changes, courses } = history;
  const shown = tellingCourses(courses).filter((course) => byLoss(history).some.includes(course));
  const notes = [
    plural(runs.length, 'run'),
    ...(shown.length < courses.length ? [`${shown.length} of ${plural(courses.length, 'case')} shown`] : []),
    ...(changes.length > 0 ? [`circumstances changed ${count(changes.length)} × (${CHANGE})`] : []),
  ];
  const title = `${benchmark}: ${FIGURES[metric]}, ${notes.join('; ')}`;
  if (runs.length === 1) return `${benchmark}: 1 run, nothing to set it beside`;
  if (shown.length === 0) return `${title}\n Nothing was lost in the cases that are in most runs.`;
  const table = new Table({ head: header(metric), chars: PLAIN, style: { head: [], border: [] } });
  for (const course of shown) table.push(courseRow(course, history));
  return `${title}\n${table}`;
}
