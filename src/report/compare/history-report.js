/**
 * A history as a chart, as a report, and as a short table for the terminal.
 */

import { count, interval, plural, range, serverText, sparkline } from '../../format.js';
import { right, terminalTable } from '../../table.js';
import { chart, heading, list, renderBlocks, table, text } from '../blocks.js';
import { FORMATS } from '../charts/chart.js';
import { categoryAxis, intervalCells, intervalColumns, lineSeries, valueAxis } from '../charts/parts.js';
import { modeStyle } from '../charts/styles.js';
import { makeDocument } from '../document.js';
import { differenceText } from './compare.js';
import { FIGURES } from './history.js';

/**
 * @import { Block } from '../blocks.js'
 * @import { Chart, FormatName } from '../charts/chart.js'
 * @import { BenchmarkHistory, Series, HistoryMetric, Run } from './history.js'
 * @import { Report } from '../document.js'
 */

/** One panel for each case, because intervals in one panel would hide each other. */
const MOST_PANELS = 6;
/** With more runs the points would hide their line. */
const MANY_RUNS = 60;
/** More names do not fit beside each other. */
const MANY_NAMES = 6;
/** Pixels: above all panels, of a panel, of its name, below it, and of the names of runs. */
const [TOP, PANEL, NAME, GAP, BOTTOM] = [48, 128, 30, 14, 92];

/** @typedef {Readonly<Record<string, import('../../registry/types.js').Look>>} Looks */

/** @type {Readonly<Record<HistoryMetric, FormatName>>} */
const METRIC_FORMATS = Object.freeze({ throughput: 'rate', p50: 'duration', p99: 'duration', lost: 'percent' });

/**
 * The cases that changed most from run to run, among those in most runs. A panel without a change shows nothing.
 *
 * @param {readonly Series[]} allSeries
 * @returns {Series[]} in their own order
 */
function mostChanged(allSeries) {
  const most = Math.max(...allSeries.map(({ points }) => points.length));
  const candidates = allSeries.filter(({ points }) => points.length === most);
  const chosen = new Set([...candidates].sort((a, b) => changeOf(b) - changeOf(a)).slice(0, MOST_PANELS));
  return candidates.filter((series) => chosen.has(series));
}

/**
 * @param {BenchmarkHistory} history
 * @param {Looks} [styles] of durability modes
 * @returns {Chart | null} null: there is only one run, or all figures are zero
 */
export function historyChart({ benchmark, metric, runs, changes, allSeries }, styles) {
  const shown = mostChanged(allSeries);
  const values = shown.flatMap(({ points }) => points.map(({ value }) => value.median));
  if (runs.length < 2 || Math.max(...values) === 0) return null;
  const format = METRIC_FORMATS[metric];
  const labels = runLabels(runs);
  const cells = (/** @type {number} */ run) =>
    shown.flatMap(({ points }) => intervalCells(points.find((point) => point.run === run)?.value));
  const rows = runs.flatMap((_, run) => {
    const change = changes.findIndex((each) => each.run === run);
    // A row without figures breaks the lines: the runs on its two sides were made differently.
    const gap = change === -1 ? [] : [[changeLabel(change), ...shown.flatMap(() => [null, null, null])]];
    return [...gap, [labels[run], ...cells(run)]];
  });
  const left = allSeries.length - shown.length;
  return {
    id: `${benchmark}.history`,
    title: `${benchmark}: ${FIGURES[metric]}, run by run`,
    alt: altText(shown, METRIC_FORMATS[metric], { runs: labels, changes: changes.length }),
    note: [
      metric === 'lost'
        ? 'All trials of a run together, with the least and the most of a trial.'
        : 'Median over the rounds with its 95% interval.',
      ...(changes.length > 0 ? ['Dashed line: circumstances changed, so do not compare figures across it.'] : []),
      ...(left > 0
        ? [`The chart has the ${shown.length} cases that changed most; the table has the other ${left}, too.`]
        : []),
    ].join(' '),
    columns: [{ name: 'run' }, ...shown.flatMap(({ name }) => intervalColumns(name, format))],
    rows,
    height: TOP + PANEL * shown.length + (rows.length > MANY_NAMES ? BOTTOM : BOTTOM / 3),
    option: {
      // As text the page does not change it, so the left ends of the panels stay in line.
      grid: shown.map((_, i) => ({
        left: '76',
        outerBoundsMode: 'none',
        right: 24,
        top: TOP + PANEL * i + NAME,
        height: PANEL - NAME - GAP,
      })),
      xAxis: shown.map((_, i) => runAxis(i, { last: i === shown.length - 1, many: rows.length > MANY_NAMES })),
      yAxis: shown.map(({ name }, i) => ({
        ...valueAxis(name, { format }),
        gridIndex: i,
        splitNumber: 2,
        nameGap: 8,
        nameTextStyle: { align: 'left', color: '$ink', padding: [0, 0, 0, -60] },
      })),
      axisPointer: { link: [{ xAxisIndex: 'all' }] },
      series: shown.flatMap(({ name, params }, i) => {
        const style = modeStyle(params, styles);
        const columns = { x: 'run', y: name, low: `${name}, low`, high: `${name}, high` };
        const [line, ...intervals] = lineSeries({ name, ...columns, style: { ...style, dash: 'solid' }, format });
        // Each run has its point, even a single one between two changes.
        const points = { showAllSymbol: true, symbolSize: rows.length > MANY_RUNS ? 4 : 8 };
        return [{ ...line, ...points, markLine: changeLines(changes.length) }, ...intervals].map((series) => ({
          ...series,
          xAxisIndex: i,
          yAxisIndex: i,
        }));
      }),
    },
  };
}

/**
 * @param {number} index of the panel
 * @param {{last: boolean, many: boolean}} options last: it shows the names; many: turns them so that they fit
 */
function runAxis(index, { last, many }) {
  const axis = categoryAxis();
  return {
    ...axis,
    gridIndex: index,
    axisLabel: { ...axis.axisLabel, show: last, hideOverlap: true, ...(many && { rotate: 45 }) },
  };
}

/** @param {number} changes how many */
function changeLines(changes) {
  return {
    silent: true,
    symbol: 'none',
    label: { show: false },
    lineStyle: { color: '$muted', type: 'dashed', width: 1 },
    data: Array.from({ length: changes }, (_, i) => ({ xAxis: changeLabel(i) })),
  };
}

/**
 * @param {readonly Run[]} runs
 * @returns {string[]} the minute in which each began, numbered if several began in it
 */
function runLabels(runs) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return runs.map(({ result: { startedAt } }) => {
    const minute = startedAt.slice(0, 16).replace('T', ' ');
    const number = (seen.get(minute) ?? 0) + 1;
    seen.set(minute, number);
    return number === 1 ? minute : `${minute} (${number})`;
  });
}

/** @param {number} index of the change */
const changeLabel = (index) => `change ${index + 1}`;

/** @param {Series} series */
function changeOf({ points }) {
  const values = points.map(({ value }) => value.median);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === 0 ? most : most / least;
}

/**
 * @param {Series[]} shown
 * @param {FormatName} format
 * @param {{runs: string[], changes: number}} history
 */
function altText(shown, format, { runs, changes }) {
  const read = FORMATS[format];
  const first = `${plural(runs.length, 'run')} from ${runs[0]} to ${runs[runs.length - 1]}, with ${plural(changes, 'change')} of circumstances.`;
  const lines = shown.map(({ name, points }) => {
    const { median, low, high } = points[points.length - 1].value;
    return `${name}: first ${read(points[0].value.median)}, last ${read(median)} (${range(low, high, read)}).`;
  });
  return [first, ...lines].join(' ');
}

const TITLE = 'sentinel-bench: history';
const COMMIT_DIGITS = 7;
/** Differences shown for one change. A new server version alone changes dozens of defaults. */
const MOST_DIFFERENCES = 6;
/** Characters of a row of blocks. Earlier runs are dropped. */
const MOST_BLOCKS = 40;
/** Marks changed circumstances in a row of blocks. */
const CHANGE = '¦';

/**
 * @param {BenchmarkHistory[]} histories
 * @param {{leftOut: number, styles?: Looks}} more leftOut: files that could not be read; styles: of durability modes
 * @returns {Report}
 */
export function makeHistoryReport(histories, { leftOut, styles }) {
  const runs = allRuns(histories);
  const unread = leftOut === 0 ? '' : `; ${plural(leftOut, 'unreadable file')} left out`;
  const blocks = [
    text(`${plural(runs.length, 'run')} of ${plural(histories.length, 'benchmark')}${unread}.`),
    ...histories.flatMap((history) => benchmarkBlocks(history, styles)),
    heading(2, 'Runs'),
    table(['run', 'began (UTC)', 'suite', 'profile', 'commit', 'server', 'backend', 'machine'], runs.map(runRow)),
  ];
  return makeDocument(TITLE, (figures) => `# ${TITLE}\n\n${renderBlocks(blocks, figures)}\n`);
}

/**
 * @param {BenchmarkHistory} history
 * @param {Looks} [styles]
 * @returns {Block[]}
 */
function benchmarkBlocks(history, styles) {
  const { benchmark, metric, runs, changes } = history;
  const { some, none } = byLoss(history);
  const drawn = historyChart(history, styles);
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
    seriesTable(some, history),
    ...(none.length > 0
      ? [text(`No run lost an acknowledged write: ${none.map(({ name }) => name).join(', ')}.`)]
      : []),
  ];
}

/**
 * @param {Series[]} allSeries
 * @param {BenchmarkHistory} history
 */
function seriesTable(allSeries, history) {
  const columns = header(history.metric).map((title, i) => (i === 0 ? title : right(title)));
  return table(
    columns,
    allSeries.map((series) => seriesRow(series, history)),
  );
}

/** @param {BenchmarkHistory['metric']} metric */
function header(metric) {
  const against = metric === 'lost' ? [] : ['last against the one before'];
  return ['case', 'runs', 'first', 'last', ...against, 'over time'];
}

/**
 * @param {Series} series
 * @param {Pick<BenchmarkHistory, 'metric' | 'changes'>} history
 * @returns {string[]}
 */
function seriesRow({ name, points, last }, { metric, changes }) {
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
 * @returns {{some: Series[], none: Series[]}} none: those without a loss in any run
 */
function byLoss({ metric, allSeries }) {
  const isNone = (/** @type {Series} */ { points }) =>
    metric === 'lost' && points.every(({ value }) => value.high === 0);
  return { some: allSeries.filter((series) => !isNone(series)), none: allSeries.filter(isNone) };
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
function runRow({ name, result: { startedAt, suite, profile, tool, stack, environment } }) {
  return [
    name,
    startedAt.slice(0, 16).replace('T', ' '),
    suite,
    profile.name,
    tool.commit === null ? '–' : tool.commit.slice(0, COMMIT_DIGITS),
    serverText(stack.server),
    stack.backend,
    `${environment.cores} × ${environment.cpuModel}`,
  ];
}

/**
 * @param {BenchmarkHistory[]} histories
 * @returns {string} several lines: for each benchmark the cases of its chart
 */
export function renderHistory(histories) {
  return histories.map(historyText).join('\n\n');
}

/** @param {BenchmarkHistory} history */
function historyText(history) {
  const { benchmark, metric, runs, changes, allSeries } = history;
  const shown = mostChanged(allSeries).filter((series) => byLoss(history).some.includes(series));
  const notes = [
    plural(runs.length, 'run'),
    ...(shown.length < allSeries.length ? [`${shown.length} of ${plural(allSeries.length, 'case')} shown`] : []),
    ...(changes.length > 0 ? [`circumstances changed ${count(changes.length)} × (${CHANGE})`] : []),
  ];
  const title = `${benchmark}: ${FIGURES[metric]}, ${notes.join('; ')}`;
  if (runs.length === 1) return `${benchmark}: 1 run, nothing to compare`;
  if (shown.length === 0) return `${title}\nNo acknowledged write was lost in the cases of most runs.`;
  return `${title}\n${terminalTable(seriesTable(shown, history))}`;
}
