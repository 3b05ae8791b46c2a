/**
 * Two results against each other, case by case. Pure functions of the results.
 */
import { SCHEMAS } from '../../result/version.js';
import { unpairedRatio, verdictOf } from '../../stats/comparison.js';
import { median } from '../../stats/statistics.js';
import { ENOUGH_BEYOND } from '../columns.js';
import { differencesBetween, otherProgramsCpu } from './circumstances.js';
import { compareFailures, failuresThatAre } from './failures.js';

/**
 * @import { CaseResult, IntervalValue, Result, RoundResult } from '../../result/schema.js'
 * @import { Verdict } from '../../stats/comparison.js'
 * @import { Difference } from './circumstances.js'
 * @import { ComparedFailure } from './failures.js'
 */

/**
 * @typedef {Object} Metric what of a round is compared
 * @property {string} what in words
 * @property {boolean} higherIsBetter
 * @property {(round: RoundResult) => number} of a round; operations a second, or nanoseconds
 * @property {number} beyond percentiles: share of the values that lie beyond it; else 1
 */

/** @type {Readonly<Record<string, Metric>>} */
export const METRICS = Object.freeze({
  throughput: {
    what: 'throughput',
    higherIsBetter: true,
    of: (round) => round.throughput,
    beyond: 1,
  },
  p50: latency('p50', 'p50', 0.5),
  p90: latency('p90', 'p90', 0.1),
  p95: latency('p95', 'p95', 0.05),
  p99: latency('p99', 'p99', 0.01),
  p999: latency('p999', 'p99.9', 0.001),
});

export const COMPARISON_SCHEMA_ID = SCHEMAS.comparison;

/**
 * @typedef {{benchmark: string, id: string}} CaseName
 *
 * @typedef {Object} ComparedCase
 * @property {string} benchmark
 * @property {string} id
 * @property {{a: number, b: number}} rounds how many there are
 * @property {number | null} a median over the rounds; null when there is none
 * @property {number | null} b
 * @property {IntervalValue | null} ratio b / a with its 95% interval; null when there is none to trust
 * @property {Verdict | 'unknown'} verdict
 * @property {string} [reason] why it is unknown
 *
 * @typedef {Object} Comparison the document that `compare --json` prints
 * @property {typeof COMPARISON_SCHEMA_ID} schema
 * @property {string} metric a key of {@link METRICS}
 * @property {number} threshold 0 … 1
 * @property {Difference[]} differences in the circumstances of the two runs
 * @property {{a: number | null, b: number | null}} otherProgramsCpu see {@link otherProgramsCpu}
 * @property {ComparedCase[]} cases that both have, in the order of A
 * @property {CaseName[]} onlyInA
 * @property {CaseName[]} onlyInB
 * @property {{benchmark: string, reason: string}[]} failedInB benchmarks that A could measure
 * @property {ComparedFailure[]} [failures] writers of failure benchmarks that both have, where there are
 *   any
 */

/**
 * @param {Result} a the base
 * @param {Result} b what is judged
 * @param {{metric: string, threshold: number}} options metric: a key of {@link METRICS}; threshold: 0 … 1
 * @returns {Comparison}
 */
export function compareResults(a, b, { metric, threshold }) {
  const [casesOfA, casesOfB] = [a, b].map(casesByName);
  const names = [...casesOfA.keys()];
  /** @type {[string, CaseResult, CaseResult][]} */
  const common = names.flatMap((name) => {
    const [one, other] = [casesOfA.get(name), casesOfB.get(name)];
    return one && other ? [[name, one, other]] : [];
  });
  const failures = compareFailures(a, b, { threshold });
  return {
    schema: COMPARISON_SCHEMA_ID,
    metric,
    threshold,
    differences: differencesBetween(a, b, common),
    otherProgramsCpu: { a: otherProgramsCpu(a), b: otherProgramsCpu(b) },
    cases: common.map(([name, one, other]) => ({
      ...nameParts(name),
      ...compareCases(one, other, { metric, threshold }),
    })),
    onlyInA: names.filter((name) => !casesOfB.has(name)).map(nameParts),
    onlyInB: [...casesOfB.keys()].filter((name) => !casesOfA.has(name)).map(nameParts),
    failedInB: b.benchmarks
      .filter(
        ({ name, status }) =>
          status === 'failed' && a.benchmarks.some((one) => one.name === name && one.status === 'ok'),
      )
      .map(({ name, reason = 'No reason was given.' }) => ({ benchmark: name, reason })),
    ...(failures.length > 0 && { failures }),
  };
}

/**
 * @param {Pick<CaseResult, 'params' | 'rounds'>} a the base
 * @param {Pick<CaseResult, 'params' | 'rounds'>} b
 * @param {{metric: string, threshold: number}} options as for {@link compareResults}
 * @returns {Omit<ComparedCase, 'benchmark' | 'id'>}
 */
export function compareCases(a, b, { metric, threshold }) {
  const { of, higherIsBetter } = METRICS[metric];
  const [valuesA, valuesB] = [a, b].map(({ rounds }) => rounds.map(of));
  const reason = whyUnknown(a, 'A', metric) ?? whyUnknown(b, 'B', metric);
  const ratio = reason === null ? unpairedRatio(valuesB, valuesA) : null;
  return {
    rounds: { a: valuesA.length, b: valuesB.length },
    a: medianOf(valuesA),
    b: medianOf(valuesB),
    ratio,
    ...(ratio
      ? { verdict: verdictOf(ratio, { threshold, higherIsBetter }) }
      : { verdict: 'unknown', reason: reason ?? 'too few rounds for a 95% interval; 4 a side would do' }),
  };
}

/**
 * @param {Comparison} comparison
 * @param {ComparedCase['verdict']} verdict
 * @returns {ComparedCase[]}
 */
export function casesThatAre({ cases }, verdict) {
  return cases.filter((one) => one.verdict === verdict);
}

/**
 * @param {Comparison} comparison
 * @returns {boolean} a case is worse by its metric, a failure cost more, or what A could measure failed in B
 */
export function isWorse(comparison) {
  const { failures = [], failedInB } = comparison;
  return [casesThatAre(comparison, 'worse'), failuresThatAre(failures, 'worse'), failedInB].some(
    ({ length }) => length > 0,
  );
}

/**
 * @param {Comparison} comparison
 * @returns {boolean} at least one case, or what a failure cost, could be judged
 */
export function isJudged({ cases, failures = [] }) {
  return (
    cases.some(({ verdict }) => verdict !== 'unknown') ||
    failures.some(({ lost, unavailable }) => lost.verdict !== 'unknown' || unavailable.verdict !== 'unknown')
  );
}

/**
 * @param {Pick<CaseResult, 'params' | 'rounds'>} side
 * @param {'A' | 'B'} name
 * @param {string} metric
 * @returns {string | null}
 */
function whyUnknown({ params, rounds }, name, metric) {
  const { of, beyond } = METRICS[metric];
  if (rounds.length === 0) return `${name} has no round`;
  if (metric === 'throughput') {
    // That B acknowledges nothing is a ratio of 0, and worth telling.
    return name === 'A' && rounds.some((round) => of(round) === 0) ? 'A acknowledged nothing in a round' : null;
  }
  if (rounds.some((round) => of(round) === 0)) return `${name} has no latency in a round`;
  // The operations of a batch complete together: they are one value.
  const values = rounds.reduce((sum, { operations }) => sum + operations, 0) / Math.max(1, params.pipeline);
  return values * beyond < ENOUGH_BEYOND ? `${name} has too few values beyond that percentile` : null;
}

/**
 * @param {'p50' | 'p90' | 'p95' | 'p99' | 'p999'} field
 * @param {string} what
 * @param {number} beyond
 * @returns {Metric}
 */
function latency(field, what, beyond) {
  return { what: `${what} latency`, higherIsBetter: false, of: ({ latencyNs }) => latencyNs[field], beyond };
}

/** @param {number[]} values */
function medianOf(values) {
  return values.length === 0 ? null : median(values);
}

/**
 * @param {Result} result
 * @returns {Map<string, CaseResult>} neither a benchmark's name nor a case's id can hold a slash
 */
function casesByName({ benchmarks }) {
  return new Map(benchmarks.flatMap(({ name, cases }) => cases.map((one) => [`${name}/${one.id}`, one])));
}

/**
 * @param {string} name
 * @returns {CaseName}
 */
function nameParts(name) {
  const [benchmark, id] = name.split('/');
  return { benchmark, id };
}
