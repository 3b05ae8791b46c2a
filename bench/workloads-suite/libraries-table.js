/**
 * The table of the libraries: a row for each library and variant, a column for each kind of failure.
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
      const each = variants.map((source) => ({
        source,
        harmed: faults.map(({ names }) => harmedIn(rows, source, { field, names, mode })),
      }));
      return linesOf(each, RARE.includes(field)).map((cells) => [words, ...cells]);
    }),
  );
  return table([left('', undefined, { group: true }), 'library', ...faults.map(({ title }) => title)], lines);
}

/**
 * @param {readonly {source: DriverSource, harmed: (Part | null)[]}[]} variants of a library
 * @param {boolean} rare
 * @returns {string[][]} one line if all variants fared alike
 */
function linesOf(variants, rare) {
  const lines = variants
    .filter(({ harmed }) => harmed.some((each) => each && (each.trials > 0 || !rare)))
    .map(({ source, harmed }) => ({ source, cells: harmed.map(textOf) }));
  const alike = lines.length > 1 && new Set(lines.map(({ cells }) => cells.join())).size === 1;
  if (alike) return [[`${lines[0].source.library} (each)`, ...lines[0].cells]];
  return lines.map(({ source, cells }) => [source.title, ...cells]);
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

/** @param {Part | null} harmed */
const textOf = (harmed) => (harmed === null ? NOT_MEASURED : `${harmed.trials}/${harmed.n}`);

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
