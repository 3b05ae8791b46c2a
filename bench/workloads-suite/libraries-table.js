/**
 * The table of the libraries: a row for each library and variant, a column for each kind of failure.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { TableBlock } from '../../src/report/blocks.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { Source } from '../workloads/types.js'
 */
import { metricNamed } from '../../src/facts/metrics.js';
import { table } from '../../src/report/blocks.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { driverSources } from '../workloads/driver-source.js';
import { REFERENCE, withLibrariesName } from './libraries.js';
import { benchmarkNamed, FAULTS, isMeasured, outcomeOf } from './outcomes.js';

/** What a cell says of a figure, in this order. */
const WORDS = Object.freeze({
  doubleHolds: 'two holders',
  overLimit: 'over limit',
  neverRun: 'never run',
  runTwice: 'run twice',
  idsReused: 'id reused',
  workersExited: 'worker died',
});
const IN_FAULTS = FAULTS.map(({ title, names }) => ({ title, names: names.map(withLibrariesName) }));

/**
 * @param {readonly CaseFigures[]} rows
 * @param {string} mode
 * @returns {TableBlock} without rows: no library was measured
 */
export function librariesTable(rows, mode) {
  const faults = IN_FAULTS.filter(({ names }) => isMeasured(rows, names));
  const libraries = driverSources();
  const workloads = [...new Set(libraries.flatMap((source) => source.workloads))];
  const lines = [{ ...REFERENCE, title: 'none: our client', workloads }, ...libraries]
    .map((source) => [source.title, ...faults.map(({ names }) => cellOf(rows, source, { names, mode }))])
    .filter(([, ...cells]) => cells.some((cell) => cell !== NOT_MEASURED));
  return table(['library', ...faults.map(({ title }) => title)], lines);
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {Pick<Source, 'name' | 'workloads'>} source
 * @param {{names: readonly string[], mode: string}} where
 * @returns {string} such as `never run 3/3, run twice 2/3`
 */
function cellOf(rows, { name: source, workloads }, where) {
  const outcomes = Object.entries(WORDS).flatMap(([field, words]) => {
    const { metric } = metricNamed(field);
    const outcome = outcomeOf(rows, { workloads, metric, source, ...where });
    return outcome === null ? [] : [{ words, ...outcome }];
  });
  if (outcomes.length === 0) return NOT_MEASURED;
  const harmed = outcomes.filter(({ trials }) => trials > 0);
  if (harmed.length === 0) return `0/${outcomes[0].n}`;
  return harmed.map(({ words, trials, n }) => `${words} ${trials}/${n}`).join(', ');
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @returns {string[]} each library that was not measured, with the reason and the remedy
 */
export function whyNotMeasured(benchmarks) {
  const names = IN_FAULTS.flatMap((fault) => fault.names.map(benchmarkNamed));
  const reasons = benchmarks
    .filter(({ name }) => names.includes(name))
    .flatMap(({ status, reason, notMeasured = [] }) => [
      ...(status === 'skipped' && reason ? [reason] : []),
      ...notMeasured.map((each) => each.reason),
    ]);
  return [...new Set(reasons)];
}
