/** What details.md has of a failure: each harm in each trial. */
/** @import { BenchmarkResult } from '../types.js' */
import { table } from '../../src/report/blocks.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { left } from '../../src/table.js';
import { CASE_TITLES } from '../experiments/cases.js';
import { driverSources } from '../workloads/driver-source.js';
import { groupBy } from '../workloads/history.js';
import { workloadNamed } from '../workloads/index.js';
import { NATIVE_SOURCES } from '../workloads/native/source.js';
import { harmsOf } from './findings.js';

/** A cell has the figure of each trial, or 0 for all. Harms that no trial had are left out. @param {Pick<BenchmarkResult, 'cases'>} result */
export function harmDetails({ cases }) {
  const titles = new Map([...NATIVE_SOURCES, ...driverSources()].map(({ name, title }) => [name, title]));
  const all = cases.flatMap((one) =>
    harmsOf(one).map((harm) => ({ ...harm, mode: CASE_TITLES.case({ ...one.params, setting: undefined }) })),
  );
  const modes = [...new Set(all.map(({ mode }) => mode))];
  const ofWords = [...groupBy(all, ({ words }) => words).values()];
  const groups = ofWords.flatMap((alike) => [
    ...groupBy(alike, ({ workload, source }) => `${workload}.${source}`).values(),
  ]);
  const rows = groups
    .filter((group) => group.some(({ trials }) => trials > 0))
    .map((group) => [
      group[0].words,
      workloadNamed(group[0].workload).title,
      titles.get(group[0].source) ?? group[0].source,
      ...modes.map((mode) => cellOf(group.flatMap((harm) => (harm.mode === mode ? harm.values : [])))),
    ]);
  return [table([left('harm in each trial', undefined, { group: true }), 'workload', 'who', ...modes], rows)];
}

/** @param {readonly number[]} values of the trials */
function cellOf(values) {
  if (values.length === 0) return NOT_MEASURED;
  return values.every((value) => value === 0) ? '0' : values.join(', ');
}
