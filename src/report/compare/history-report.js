/**
 * A history as a report, and as a short table for the terminal.
 */
import { chart, heading, list, renderBlocks, table, text } from '../blocks.js';
import { FORMATS } from '../charts/functions.js';
import { makeDocument } from '../document.js';
import { count, interval, plural, serverText } from '../format.js';
import { sparkline } from '../sparkline.js';
import { terminalTable } from '../terminal.js';
import { differenceText } from './content.js';
import { FIGURES } from './history.js';
import { historyChart, METRIC_FORMATS, runLabels, tellingCourses } from './history-chart.js';

/**
 * @import { Block } from '../blocks.js'
 * @import { Report } from '../document.js'
 * @import { BenchmarkHistory, Course, Run } from './history.js'
 */

const RIGHT = /** @type {const} */ ('right');
const TITLE = 'sentinel-bench: history';
const COMMIT_DIGITS = 7;
/** Differences shown for one change. A new server alone has dozens of new defaults. */
const MOST_DIFFERENCES = 6;
/** Characters of a course. Earlier runs are dropped. */
const MOST_BLOCKS = 40;
/** Marks changed circumstances in a course. */
const CHANGE = '¦';

/**
 * @param {BenchmarkHistory[]} histories
 * @param {{leftOut: number}} more files that could not be read
 * @returns {Report}
 */
export function makeHistoryReport(histories, { leftOut }) {
  const runs = allRuns(histories);
  const unread = leftOut === 0 ? '' : `; ${plural(leftOut, 'unreadable file')} left out`;
  const blocks = [
    text(`${plural(runs.length, 'run')} of ${plural(histories.length, 'benchmark')}${unread}.`),
    ...histories.flatMap(benchmarkBlocks),
    heading(2, 'Runs'),
    table(['run', 'began (UTC)', 'suite', 'profile', 'commit', 'server', 'backend', 'machine'], runs.map(runRow)),
  ];
  return makeDocument(TITLE, (figures) => `# ${TITLE}\n\n${renderBlocks(blocks, figures)}\n`);
}

/**
 * @param {BenchmarkHistory} history
 * @returns {Block[]}
 */
function benchmarkBlocks(history) {
  const { benchmark, metric, runs, changes } = history;
  const { some, none } = byLoss(history);
  const drawn = historyChart(history);
  const labels = runLabels(runs);
  const changed = changes.map(
    ({ run, differences }, i) => `${i + 1}, before ${labels[run]}: ${differencesText(differences)}`,
  );
  const mark = changes.length > 0 ? `; ${CHANGE} marks changed circumstances` : '';
  return [
    heading(2, benchmark),
    ...(drawn ? [chart(drawn)] : []),
    ...(changed.length > 0 ? [text('Changes of circumstances (before, after):'), list(changed)] : []),
    text(`${FIGURES[metric]}, ${plural(runs.length, 'run')}${mark}:`),
    courseTable(some, history),
    ...(none.length > 0 ? [text(`Nothing was lost in any run of ${none.map(({ name }) => name).join(', ')}.`)] : []),
  ];
}

/**
 * @param {Course[]} courses
 * @param {BenchmarkHistory} history
 */
function courseTable(courses, history) {
  const columns = header(history.metric).map((title, i) => ({ title, align: i === 0 ? undefined : RIGHT }));
  return table(
    columns,
    courses.map((course) => courseRow(course, history)),
  );
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
 * @returns {{some: Course[], none: Course[]}} none: those that lost nothing in any run
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
    serverText(cluster.server),
    cluster.backend,
    `${environment.cores} × ${environment.cpuModel}`,
  ];
}

/**
 * @param {BenchmarkHistory[]} histories
 * @returns {string} several lines: the cases that the chart of each benchmark shows
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
  if (runs.length === 1) return `${benchmark}: 1 run, nothing to compare it with`;
  if (shown.length === 0) return `${title}\nNothing was lost in the cases that are in most runs.`;
  return `${title}\n${terminalTable(courseTable(shown, history))}`;
}
