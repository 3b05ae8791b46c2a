import { trialsOf } from '../../audit/of-trials.js';
import { rowsOf } from '../../facts/query.js';
import { NATIVE } from '../../facts/trials.js';
import { addCounts } from '../../stats/statistics.js';
import { readYaml } from '../../yaml.js';
import { tableOf } from '../specs.js';
import { groupsOf, NOT_MEASURED, PLAIN_TITLES } from './figures.js';
import { timelineOf, worstFirst, worstTrials } from './timeline.js';
import { timelinesChart } from './timelines-chart.js';

/**
 * What details.md says of a benchmark of trials (section.md): what the writers saw, what the nodes hold, the windows, the worst trial.
 * @import { BenchmarkResult, Result } from '../../result/schema.js' @import { Titles } from '../../run/types.js'
 * @import { ColumnSpec } from '../specs.js' @import { CaseWorst } from './timeline.js'
 */

/** @type {Readonly<Record<'seen' | 'held' | 'windows', readonly ColumnSpec[]>>} */
const COLUMNS = readYaml(new URL('tables.yaml', import.meta.url));

/** `trials` of section.md. @param {BenchmarkResult} benchmark @param {Result} result of the run @param {{title?: string, titles?: Titles}} [options] */
export function trialData(benchmark, result, { title = benchmark.name, titles = PLAIN_TITLES } = {}) {
  const drawn = worstTrials(benchmark, titles.fault);
  const rows = rowsOf({ ...result, benchmarks: [benchmark] }, { metrics: {} });
  const writers = rows.filter(({ writer }) => writer !== '' && writer !== NATIVE);
  const cases = rows.filter(({ writer }) => writer === '');
  /** @type {ColumnSpec} */
  const mode = { title: 'mode', text: ({ params }) => titles.case(params) };
  /** @type {ColumnSpec} */
  const writer = { title: 'writer', text: (row) => titles.writer(row.writer), kept: true };
  const held = tableOf([mode, writer, ...COLUMNS.held], writers);
  const isZero = (/** @type {string} */ cell) => cell === '0' || cell === NOT_MEASURED;
  return {
    trials: {
      title,
      writers: writers.length,
      cases: cases.length,
      errors: firstErrors(benchmark),
      apart: benchmark.cases.flatMap((one) =>
        trialsOf(benchmark, one)
          .filter(({ converged }) => converged === null)
          .map(({ round }) => `${titles.case(one.params)} (trial ${round})`),
      ),
      worst: drawn.length === 0 ? null : worstOf(drawn, titles),
    },
    tables: {
      seen: tableOf([mode, writer, ...COLUMNS.seen], writers),
      held: { ...held, rows: held.rows.filter(([, , ...cells]) => !cells.every(isZero)) },
      windows: tableOf([mode, ...COLUMNS.windows], cases),
    },
    charts: { timelines: timelinesChart(benchmark, titles, drawn) },
  };
}

/** @param {BenchmarkResult} benchmark @returns {[text: string, writers: number][]} the most frequent first */
function firstErrors(benchmark) {
  const first = groupsOf(benchmark).map(({ audits }) => audits.find(({ firstError }) => firstError)?.firstError);
  const writers = addCounts(...first.map((error) => (error ? { [error.text]: 1 } : {})));
  return Object.entries(writers).sort((a, b) => b[1] - a[1]);
}

/** @param {readonly CaseWorst[]} all at least one @param {Titles} titles */
function worstOf(all, titles) {
  const { one, trial, lost, unavailableMs } = all.toSorted(worstFirst)[0];
  const { round, stepMs } = trial;
  return { case: titles.case(one.params), round, stepMs, lost, unavailableMs, ...timelineOf(trial, titles) };
}
