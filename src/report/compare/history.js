/**
 * The same cases over many runs, in order of time, and as a table for the terminal (history.md).
 * @import { Difference } from './compare.js' @import { Group } from '../trials/figures.js'
 * @import { CaseResult, IntervalValue, Result } from '../../result/schema.js'
 * @typedef {{name: string, result: Result}} PastRun name: its folder or file; result: as {@link slim} leaves it
 * @typedef {{name: string, points: {run: number, value: IntervalValue}[], last: string}} Series a case over the runs. name: of the case, in
 *   failure benchmarks with its writer; points: at least one, in the order of the runs. run: index among those of its benchmark; value: of
 *   rounds the median with its 95% interval; lost: of all trials together, with the least and the most of a trial; last: the comparison with
 *   the previous run, empty if no run has the same conditions
 * @typedef {Object} BenchmarkHistory
 * @property {string} benchmark @property {HistoryMetric} metric @property {PastRun[]} runs that have it, by time
 * @property {{run: number, differences: Difference[]}[]} changes differences to the run before that affect the figures; run: index
 * @property {Series[]} allSeries
 * @typedef {keyof typeof FIGURES} HistoryMetric
 */
import { total } from '../../audit/of-trials.js';
import { count, duration, firstFew, interval, percent, rate, sparkline } from '../../format.js';
import { right } from '../../table.js';
import { table } from '../blocks.js';
import { renderPlain } from '../template.js';
import { groupsOf, NOT_MEASURED } from '../trials/figures.js';
import { changeText, compareCases, differencesBetween, differenceText } from './compare.js';

/** title: in titles and tables; of: of the rounds of a case, null: of trials. */
const FIGURES = Object.freeze({
  throughput: { title: 'acked operations a second', format: rate, of: /** @type {const} */ ('throughput') },
  p50: { title: 'p50 latency', format: duration, of: /** @type {const} */ ('p50Ns') },
  p99: { title: 'p99 latency', format: duration, of: /** @type {const} */ ('p99Ns') },
  lost: { title: 'share of the acknowledged writes that was lost', format: percent, of: null },
});
export const HISTORY_METRICS = /** @type {readonly HistoryMetric[]} */ (Object.keys(FIGURES));

const PAGE = new URL('history.md', import.meta.url);
/** Differences shown for one change. A new server version alone changes dozens of defaults. */
const MOST_DIFFERENCES = 6;
/** Characters of a row of blocks. Earlier runs are dropped. */
const MOST_BLOCKS = 40;
/** Marks changed circumstances in a row of blocks. */
const CHANGE = '¦';
/** Smaller changes of the last run count as no difference. */
const THRESHOLD = 0.05;

/** @param {Result} result @returns {Result} without what only the run's own report shows; a tenth of the size */
export function slim(result) {
  return {
    ...result,
    benchmarks: result.benchmarks.map((benchmark) => ({
      ...benchmark,
      timeline: benchmark.timeline && [],
      cases: benchmark.cases.map((one) => ({
        ...one,
        rounds: one.rounds.map((round) => ({ ...round, histogram: '', nodes: [], errors: {}, openLoop: undefined })),
      })),
    })),
  };
}

/**
 * @param {readonly PastRun[]} runs in any order
 * @param {{metric?: HistoryMetric, benchmark?: string, id?: string}} choice metric: absent: lost for failure benchmarks, throughput for
 *   others; id: of the case
 * @returns {BenchmarkHistory[]} of the benchmarks with such a figure, in the order of their first runs
 */
export function historyOf(runs, { metric, benchmark, id } = {}) {
  const sorted = [...runs].sort((a, b) => Date.parse(a.result.startedAt) - Date.parse(b.result.startedAt));
  const names = new Set(sorted.flatMap(({ result }) => result.benchmarks.map(({ name }) => name)));
  return [...names]
    .filter((name) => benchmark === undefined || name === benchmark)
    .flatMap((name) => {
      const caseRuns = sorted
        .map((run) => ({ name: run.name, result: { ...run.result, benchmarks: only(run.result, name, id) } }))
        .filter(({ result }) => result.benchmarks.length > 0);
      const failure = caseRuns.some(({ result }) => result.benchmarks[0].audit !== undefined);
      const chosen = metric ?? (failure ? 'lost' : 'throughput');
      const changes = changesIn(caseRuns);
      const allSeries = seriesOf(caseRuns, chosen, changes);
      return allSeries.length === 0 ? [] : { benchmark: name, metric: chosen, runs: caseRuns, changes, allSeries };
    });
}

/** @param {Result} result @param {string} name @param {string} [id] @returns {Result['benchmarks']} at most one, with at least one case */
function only({ benchmarks }, name, id) {
  const named = benchmarks.filter((each) => each.name === name).slice(0, 1);
  const chosen = named.map((each) => ({ ...each, cases: each.cases.filter((one) => (id ?? one.id) === one.id) }));
  return chosen.filter(({ cases }) => cases.length > 0);
}

/** @param {PastRun[]} runs of one benchmark @returns {BenchmarkHistory['changes']} */
function changesIn(runs) {
  return runs.slice(1).flatMap(({ result }, i) => {
    const before = runs[i].result;
    const cases = result.benchmarks[0].cases;
    const common = before.benchmarks[0].cases.flatMap((one) => {
      const other = cases.find(({ id }) => id === one.id);
      return other ? [/** @type {[string, CaseResult, CaseResult]} */ ([one.id, one, other])] : [];
    });
    const differences = differencesBetween(before, result, common);
    return differences.length === 0 ? [] : { run: i + 1, differences };
  });
}

/** @param {PastRun[]} runs of one benchmark @param {HistoryMetric} metric @param {BenchmarkHistory['changes']} changes @returns {Series[]} */
function seriesOf(runs, metric, changes) {
  const { of } = FIGURES[metric];
  const figures = runs.flatMap(({ result: { benchmarks } }, run) => {
    const rows = of
      ? benchmarks[0].cases.map(({ id, rounds, summary }) => ({ name: id, value: rounds.length > 0 && summary[of] }))
      : groupsOf(benchmarks[0]).map(({ case: { id }, writer, audits }) => ({
          name: `${id} · ${writer}`,
          value: lostOf(audits),
        }));
    return rows.flatMap(({ name, value }) => (value ? { name, point: { run, value } } : []));
  });
  return [...new Set(figures.map(({ name }) => name))].map((name) => {
    const points = figures.filter((each) => each.name === name).map(({ point }) => point);
    return { name, points, last: of ? lastOf(name, points, { runs, metric, changes }) : '' };
  });
}

/** @param {Group['audits']} audits @returns {IntervalValue | null} null: no write was acknowledged */
function lostOf(audits) {
  const ackedAudits = audits.filter(({ acked }) => acked > 0);
  if (ackedAudits.length === 0) return null;
  const shares = ackedAudits.map(({ acked, ackedLost }) => ackedLost / acked);
  const median = total(ackedAudits, 'ackedLost') / total(ackedAudits, 'acked');
  return { median, low: Math.min(...shares), high: Math.max(...shares) };
}

/** @param {string} name of a case @param {Series['points']} points @param {Pick<BenchmarkHistory, 'runs' | 'metric' | 'changes'>} history */
function lastOf(name, points, { runs, metric, changes }) {
  const pair = points.slice(-2).map(({ run }) => run);
  if (pair.length < 2 || changes.some(({ run }) => run > pair[0] && run <= pair[1])) return '';
  const [a, b] = pair.map((run) => runs[run].result.benchmarks[0].cases.find(({ id }) => id === name));
  if (!a || !b) return '';
  const compared = compareCases(a, b, { metric, threshold: THRESHOLD });
  return compared.ratio ? `${compared.verdict}, ${changeText(compared)}` : compared.verdict;
}

/** @param {BenchmarkHistory[]} histories @returns {string} several lines: for each benchmark its cases, and what changed between runs */
export const renderHistory = (histories) => histories.map(historyText).join('\n\n');

/** @param {BenchmarkHistory} history */
function historyText(history) {
  const { benchmark, metric, runs, changes, allSeries } = history;
  const isSafe = (/** @type {Series} */ { points }) =>
    metric === 'lost' && points.every(({ value }) => value.high === 0);
  const shown = allSeries.filter((series) => !isSafe(series));
  const data = {
    benchmark,
    figure: FIGURES[metric].title,
    runs: runs.length,
    safe: allSeries.filter(isSafe).map(({ name }) => name),
    changes: changes.map(({ run, differences }) => ({
      run: runs[run].name,
      differences: firstFew(differences.map(differenceText), MOST_DIFFERENCES),
    })),
    tables: { cases: seriesTable(shown, history) },
  };
  return renderPlain(PAGE, data);
}

/** @param {Series[]} shown @param {BenchmarkHistory} history */
function seriesTable(shown, { metric, changes }) {
  const { format, of } = FIGURES[metric];
  const titles = ['runs', 'first', 'last', ...(of ? ['last against the one before'] : []), 'over time'];
  const rows = shown.map(({ name, points, last }) => [
    name,
    count(points.length),
    format(points[0].value.median),
    interval(points[points.length - 1].value, format),
    ...(of ? [last || NOT_MEASURED] : []),
    blocksOf(points, changes),
  ]);
  return table(['case', ...titles.map((title) => right(title))], rows);
}

/** @param {Series['points']} points @param {BenchmarkHistory['changes']} changes @returns {string} a block for each run */
function blocksOf(points, changes) {
  const most = Math.max(...points.map(({ value }) => value.median));
  const blocks = points.map(({ run, value }, i) => {
    const before = points[i - 1]?.run ?? run;
    const changed = changes.some((change) => change.run > before && change.run <= run);
    return `${changed ? CHANGE : ''}${sparkline([value.median], most)}`;
  });
  return blocks.slice(-MOST_BLOCKS).join('');
}
