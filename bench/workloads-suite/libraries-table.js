/**
 * The table of the libraries: a row for each harm and library, a column for each kind of failure.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { TableBlock } from '../../src/report/blocks.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { DriverSource } from '../workloads/driver-source.js'
 * @import { Harmed } from './outcomes.js'
 *
 * @typedef {Pick<Harmed, 'n' | 'trials'>} Part
 */
import { metricNamed } from '../../src/facts/metrics.js';
import { table } from '../../src/report/blocks.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { sum } from '../../src/stats/statistics.js';
import { left } from '../../src/table.js';
import { driverSources } from '../workloads/driver-source.js';
import { groupBy } from '../workloads/history.js';
import { withLibrariesName } from './libraries.js';
import { benchmarkNamed, FAULTS, isMeasured, outcomeOf } from './outcomes.js';

/** Figures that have to be 0, and their words. */
const HARMS = Object.freeze({
  doubleHolds: 'two holders',
  overLimit: 'limit exceeded',
  neverRun: 'job never run',
  runTwice: 'job run twice',
  idsReused: 'job id reused',
  workersExited: 'worker died',
});
/** Few libraries have them, so a row without any is left out. @type {readonly string[]} */
const RARE = ['idsReused', 'workersExited'];
const IN_FAULTS = FAULTS.map(({ title, names }) => ({ title, names: names.map(withLibrariesName) }));

/**
 * @param {readonly CaseFigures[]} rows
 * @param {string} mode
 * @returns {TableBlock} without rows: no library was measured
 */
export function librariesTable(rows, mode) {
  const faults = IN_FAULTS.filter(({ names }) => isMeasured(rows, names));
  const libraries = [...groupBy(driverSources(), ({ library }) => library).values()];
  const lines = Object.entries(HARMS).flatMap(([field, words]) =>
    libraries.flatMap((variants) => {
      const cells = faults.map(({ names }) => variants.map((source) => harmedIn(rows, source, { field, names, mode })));
      const harmed = cells.flat().filter((each) => each !== null);
      const isTold = harmed.some(({ trials }) => trials > 0 || !RARE.includes(field));
      return isTold ? [[words, variants[0].library, ...cells.map(cellOf)]] : [];
    }),
  );
  return table([left('', undefined, { group: true }), 'library', ...faults.map(({ title }) => title)], lines);
}

/**
 * @param {readonly (Part | null)[]} variants of a library
 * @returns {string} one figure if all variants fared alike
 */
function cellOf(variants) {
  const texts = variants.flatMap((harmed) => (harmed === null ? [] : [`${harmed.trials}/${harmed.n}`]));
  if (texts.length === 0) return NOT_MEASURED;
  return new Set(texts).size === 1 ? texts[0] : texts.join('; ');
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {Pick<DriverSource, 'name' | 'workloads'>} source
 * @param {{field: string, names: readonly string[], mode: string}} which
 * @returns {Part | null} each of its workloads counts in each trial; null: not measured
 */
function harmedIn(rows, { name: source, workloads }, { field, ...which }) {
  const { metric } = metricNamed(field);
  const each = workloads.flatMap((one) => outcomeOf(rows, { workloads: [one], metric, source, ...which }) ?? []);
  if (each.length === 0) return null;
  return { n: sum(each.map(({ n }) => n)), trials: sum(each.map(({ trials }) => trials)) };
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
