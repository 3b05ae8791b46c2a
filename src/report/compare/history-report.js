/** A history as a table for the terminal. */

import { count, interval, plural, sparkline } from '../../format.js';
import { right, terminalTable } from '../../table.js';
import { table } from '../blocks.js';
import { FORMATS } from '../charts/chart.js';
import { differenceText } from './compare.js';
import { FIGURES } from './history.js';

/**
 * @import { FormatName } from '../charts/chart.js'
 * @import { BenchmarkHistory, HistoryMetric, Series } from './history.js'
 */

/** @type {Readonly<Record<HistoryMetric, FormatName>>} */
const METRIC_FORMATS = Object.freeze({ throughput: 'rate', p50: 'duration', p99: 'duration', lost: 'percent' });
/** Differences shown for one change. A new server version alone changes dozens of defaults. */
const MOST_DIFFERENCES = 6;
/** Characters of a row of blocks. Earlier runs are dropped. */
const MOST_BLOCKS = 40;
/** Marks changed circumstances in a row of blocks. */
const CHANGE = '¦';

/**
 * @param {BenchmarkHistory[]} histories
 * @returns {string} several lines: for each benchmark its cases, and what changed between runs
 */
export function renderHistory(histories) {
  return histories.map(historyText).join('\n\n');
}

/** @param {BenchmarkHistory} history */
function historyText(history) {
  const { benchmark, metric, runs, changes, allSeries } = history;
  if (runs.length === 1) return `${benchmark}: 1 run, nothing to compare`;
  const isSafe = (/** @type {Series} */ { points }) =>
    metric === 'lost' && points.every(({ value }) => value.high === 0);
  const safe = allSeries.filter(isSafe);
  const shown = allSeries.filter((series) => !isSafe(series));
  return [
    `${benchmark}: ${FIGURES[metric]}, ${plural(runs.length, 'run')}`,
    ...(shown.length === 0 ? [] : [terminalTable(seriesTable(shown, history))]),
    ...(safe.length === 0 ? [] : [`No run lost an acknowledged write: ${safe.map(({ name }) => name).join(', ')}.`]),
    ...changes.map(({ run, differences }) => `${CHANGE} before ${runs[run].name}: ${differencesText(differences)}`),
  ].join('\n');
}

/** @param {Series[]} shown @param {BenchmarkHistory} history */
function seriesTable(shown, { metric, changes }) {
  const against = metric === 'lost' ? [] : ['last against the one before'];
  const [first, ...others] = ['case', 'runs', 'first', 'last', ...against, 'over time'];
  const read = FORMATS[METRIC_FORMATS[metric]];
  const rows = shown.map(({ name, points, last }) => [
    name,
    count(points.length),
    read(points[0].value.median),
    interval(points[points.length - 1].value, read),
    ...(metric === 'lost' ? [] : [last === '' ? '–' : last]),
    blocksOf(points, changes),
  ]);
  return table([first, ...others.map((title) => right(title))], rows);
}

/**
 * @param {Series['points']} points
 * @param {BenchmarkHistory['changes']} changes
 * @returns {string} a block for each run
 */
function blocksOf(points, changes) {
  const most = Math.max(...points.map(({ value }) => value.median));
  const blocks = points.map(({ run, value }, i) => {
    const before = points[i - 1]?.run ?? run;
    const changed = changes.some((change) => change.run > before && change.run <= run);
    return `${changed ? CHANGE : ''}${sparkline([value.median], most)}`;
  });
  return blocks.slice(-MOST_BLOCKS).join('');
}

/** @param {BenchmarkHistory['changes'][number]['differences']} differences */
function differencesText(differences) {
  const more = differences.length - MOST_DIFFERENCES;
  const texts = differences.slice(0, MOST_DIFFERENCES).map(differenceText);
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
