/**
 * Failure benchmarks: the audits of a result put together by case and writer, and what the numbers of a group add up to.
 */
import { median } from '../measure/statistics.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').CaseParams} CaseParams
 * @typedef {import('./failure-schema.js').AuditResult} AuditResult
 * @typedef {import('./failure-schema.js').TrialResult} TrialResult
 * @typedef {AuditResult['writer']} WriterName
 *
 * @typedef {Object} Choice which cases and writers; what is not given is not asked
 * @property {readonly string[]} [levels] ids, such as `wait1`
 * @property {string} [variant]
 * @property {readonly WriterName[]} [writers]
 *
 * @typedef {Object} Group one writer of a case, over all rounds
 * @property {CaseResult} case
 * @property {WriterName} writer
 * @property {AuditResult[]} audits one a round, at least one
 *
 * @typedef {Object} Unavailable over the rounds
 * @property {number} medianMs Infinity: in most rounds it lasted until the end
 * @property {number} lowMs Infinity likewise
 * @property {number} highMs Infinity likewise
 * @property {number} toTheEnd rounds in which it lasted until the end
 */

/** The writers that write through the tool's own client, in the order in which they are shown. */
export const OWN_WRITERS = Object.freeze(/** @type {const} */ (['stays', 'follows']));
/** The Sentinel clients of the libraries. */
export const LIBRARY_WRITERS = Object.freeze(/** @type {const} */ (['redis', 'ioredis']));
const WRITERS = [...OWN_WRITERS, ...LIBRARY_WRITERS];

/** @param {BenchmarkResult} benchmark */
export function isFailureBenchmark({ audit, timeline }) {
  return audit !== undefined || timeline !== undefined;
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @returns {boolean} nothing else was measured
 */
export function onlyFailures(benchmarks) {
  return (
    benchmarks.some(isFailureBenchmark) &&
    benchmarks.every((benchmark) => isFailureBenchmark(benchmark) || benchmark.cases.length === 0)
  );
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Choice} [choice]
 * @returns {Group[]} in the order of the cases, then of the writers; a writer of which there is no audit has no group
 */
export function groupsOf(benchmark, { levels, variant, writers = WRITERS } = {}) {
  const cases = benchmark.cases
    .filter(({ params }) => levels === undefined || levels.includes(params.level ?? ''))
    .filter(({ params }) => variant === undefined || params.variant === variant);
  return cases.flatMap((one) =>
    WRITERS.filter((writer) => writers.includes(writer)).flatMap((writer) => {
      const audits = auditsOf(benchmark, one).filter((audit) => audit.writer === writer);
      return audits.length === 0 ? [] : { case: one, writer, audits };
    }),
  );
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {AuditResult[]}
 */
export function auditsOf({ audit = [] }, { id }) {
  return audit.filter((each) => each.case === id);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {AuditResult[]} of the writers that write through the tool's own client
 */
export function ownAudits(benchmark, one) {
  return auditsOf(benchmark, one).filter(({ writer }) => OWN_WRITERS.some((own) => own === writer));
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {TrialResult[]} by round
 */
export function trialsOf({ timeline = [] }, { id }) {
  return timeline.filter((trial) => trial.case === id).sort((a, b) => a.round - b.round);
}

/** @typedef {{[K in keyof AuditResult]: AuditResult[K] extends number ? K : never}[keyof AuditResult]} CountField */

/**
 * @param {readonly AuditResult[]} audits
 * @param {CountField} field
 * @returns {number}
 */
export function total(audits, field) {
  return audits.reduce((sum, audit) => sum + audit[field], 0);
}

/**
 * @param {readonly AuditResult[]} audits
 * @param {'appliedTwice' | 'falseAcks' | 'falseAcksLost'} field
 * @returns {number | null} null: it does not apply to any of them
 */
export function totalOrNull(audits, field) {
  const known = audits.map((audit) => audit[field]).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/**
 * @param {readonly AuditResult[]} audits
 * @returns {Record<string, number>} node → values present after healing, over all rounds
 */
export function presentByNode(audits) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const { present } of audits)
    for (const [id, count] of Object.entries(present)) sums[id] = (sums[id] ?? 0) + count;
  return sums;
}

/**
 * @param {readonly AuditResult[]} audits at least one
 * @returns {Unavailable}
 */
export function unavailableOf(audits) {
  const sorted = audits.map(({ unavailableMs }) => unavailableMs ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const toTheEnd = sorted.filter((ms) => !Number.isFinite(ms)).length;
  // Of an even number the mean of the middle two, which may be without end.
  const medianMs = (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.floor(sorted.length / 2)]) / 2;
  return { medianMs, lowMs: sorted[0], highMs: sorted[sorted.length - 1], toTheEnd };
}

/**
 * @param {readonly TrialResult[]} trials
 * @returns {number | null} milliseconds; null: there is no trial
 */
export function longestSplitBrain(trials) {
  return trials.length === 0 ? null : Math.max(...trials.map(({ windows }) => windows.splitBrainMs));
}

/**
 * @param {readonly (number | null)[]} values one a round; null: it did not happen in that round
 * @returns {{median: number, low: number, high: number, missing: number} | null} of those that happened; null: none did
 */
export function spreadOf(values) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  return {
    median: median(known),
    low: Math.min(...known),
    high: Math.max(...known),
    missing: values.length - known.length,
  };
}
