/** The table of the libraries: a row for each harm and library, two columns for each kind of failure. */
/** @import { BenchmarkResult, CaseFigures, TableBlock } from '../types.js' */
/** @import { DriverSource } from '../workloads/driver-source.js' */
/** @typedef {[usual: DriverSource, best?: DriverSource]} Variants of a library */
import { metricNamed } from '../../src/facts/metrics.js';
import { table } from '../../src/report/blocks.js';
import { sum } from '../../src/stats/statistics.js';
import { left } from '../../src/table.js';
import { driverSources } from '../workloads/driver-source.js';
import { groupBy } from '../workloads/history.js';
import { benchmarkNamed, FAULTS, harmedText, isMeasured, outcomeOf } from './outcomes.js';
import { withLibrariesName } from './scenarios.js';

/** Figures that have to be 0, and their words. */
const HARMS = Object.freeze({ doubleHolds: 'two holders', overLimit: 'limit exceeded', neverRun: 'job never run' });
const FURTHER = Object.freeze({
  runTwice: 'a job run twice',
  idsReused: 'one id for two jobs',
  workersExited: 'a worker died',
});
const IN_FAULTS = FAULTS.map(({ title, names }) => ({ title, names: names.map(withLibrariesName) }));

/** @returns {Variants[]} */
function libraries() {
  return /** @type {Variants[]} */ ([...groupBy(driverSources(), ({ library }) => library).values()]);
}

/** @param {readonly CaseFigures[]} rows */
const measuredFaults = (rows) => IN_FAULTS.filter(({ names }) => isMeasured(rows, names));

/** @param {readonly CaseFigures[]} rows @param {string} mode @returns {TableBlock} without rows: no library was measured */
export function librariesTable(rows, mode) {
  const faults = measuredFaults(rows);
  const lines = Object.entries(HARMS).flatMap(([field, words]) =>
    libraries().flatMap(([usual, best]) => {
      const cells = faults.flatMap(({ names }) =>
        [usual, best].map((source) => (source ? harmedIn(rows, source, { field, names, mode }) : null)),
      );
      return cells.some((each) => each !== null)
        ? [[words, usual.library, ...cells.map((each) => harmedText(each))]]
        : [];
    }),
  );
  const titles = faults.flatMap(({ title }) => [title, `${title}, best`]);
  return table([left('', undefined, { group: true }), 'library', ...titles], lines);
}

/** @param {readonly CaseFigures[]} rows @param {string} mode @returns what else they did in any of the failures */
export function alsoHarmed(rows, mode) {
  const names = measuredFaults(rows).flatMap((fault) => fault.names);
  return Object.entries(FURTHER).flatMap(([field, words]) => {
    const isHarmed = (/** @type {DriverSource | undefined} */ source) =>
      source !== undefined && (harmedIn(rows, source, { field, names, mode })?.trials ?? 0) > 0;
    const harmed = libraries().filter((variants) => variants.some(isHarmed));
    const text = (/** @type {Variants} */ [usual, best]) =>
      isHarmed(best) ? usual.library : `${usual.library}, not best`;
    return harmed.length > 0 ? [{ words, libraries: harmed.map(text) }] : [];
  });
}

/**
 * Each of its workloads counts in each trial; null: not measured.
 * @param {readonly CaseFigures[]} rows @param {DriverSource} source @param {{field: string, names: readonly string[], mode: string}} which
 */
function harmedIn(rows, { name: source, workloads }, { field, ...which }) {
  const { metric } = metricNamed(field);
  const each = workloads.flatMap((one) => outcomeOf(rows, { workloads: [one], metric, source, ...which }) ?? []);
  if (each.length === 0) return null;
  return { n: sum(each.map(({ n }) => n)), trials: sum(each.map(({ trials }) => trials)) };
}

/** @param {readonly BenchmarkResult[]} benchmarks @returns {string[]} each library that was not measured, with the reason and the remedy */
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

/** Libraries of this version that the run did not know. @param {readonly BenchmarkResult[]} benchmarks @param {readonly CaseFigures[]} rows */
export function notInRun(benchmarks, rows) {
  if (measuredFaults(rows).length === 0) return [];
  const reasons = whyNotMeasured(benchmarks).join('\n');
  const measured = new Set(rows.map(({ writer }) => writer.split('.')[1]));
  return libraries()
    .filter((variants) => !variants.some((source) => source && measured.has(source.name)))
    .map(([{ library }]) => library)
    .filter((library) => !reasons.includes(library));
}
