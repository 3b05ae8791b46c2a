/** In how many trials of a kind of failure the workloads were harmed. */
/** @import { CaseFigures } from '../types.js' */
import { where } from '../../src/facts/query.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { SUITE } from './scenarios.js';

export const FAULTS = Object.freeze([
  { title: 'planned failover', names: ['planned'] },
  { title: 'crash', names: ['killed', 'machine-lost'] },
  { title: 'frozen', names: ['frozen'] },
  { title: 'partition', names: ['partition', 'partition-with-replica'] },
]);

/** @typedef {{n: number, trials: number, worst: number}} Harmed trials, those with the harm, and the most in one */

/** @param {string} name */
export const benchmarkNamed = (name) => `${SUITE}-${name}`;

/** @param {readonly CaseFigures[]} rows @param {readonly string[]} names of benchmarks */
export function isMeasured(rows, names) {
  return where(rows, { experiment: names.map(benchmarkNamed) }).length > 0;
}

/**
 * The figures of the workloads are added; null: none of the benchmarks was measured.
 * @param {readonly CaseFigures[]} rows
 * @param {Record<'workloads' | 'names', readonly string[]> & Record<'metric' | 'mode' | 'source', string>} which names: of benchmarks
 */
export function outcomeOf(rows, { workloads, metric, names, mode, source }) {
  const values = names.flatMap((name) => {
    const each = workloads.flatMap((workload) => {
      const about = { experiment: benchmarkNamed(name), mode, writer: `${workload}.${source}` };
      return [where(rows, about).flatMap((row) => row.of[metric]?.values ?? [])];
    });
    const trials = Math.max(...each.map(({ length }) => length));
    return Array.from({ length: trials }, (_, trial) => each.reduce((sum, own) => sum + (own[trial] ?? 0), 0));
  });
  if (values.length === 0) return null;
  return { n: values.length, trials: values.filter((value) => value > 0).length, worst: Math.max(...values) };
}

/** In how many of them. @param {Pick<Harmed, 'n' | 'trials'> | null} harmed @param {number} [trials] that the head of its column names */
export function harmedText(harmed, trials) {
  if (harmed === null) return NOT_MEASURED;
  if (harmed.n !== (trials ?? harmed.n)) return `${harmed.trials} of ${harmed.n}`;
  if (harmed.trials === 0) return 'none';
  return harmed.trials === harmed.n ? 'all' : `${harmed.trials} of ${harmed.n}`;
}
