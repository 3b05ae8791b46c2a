import { sum } from '../stats/statistics.js';

/**
 * A fact: one figure of one case, over its rounds or its trials.
 * @import { Metric } from './metrics.js'
 * @typedef {Object} Subject what a fact is about. An empty text is unknown, or does not apply
 * @property {string} run when it began, ISO 8601 @property {string} suite
 * @property {string} experiment name of the benchmark @property {string} caseId its id, unique in the benchmark
 * @property {string} length of the fault
 * @property {string} placement which Sentinel is on which host, or which nodes a partition holds together
 * @property {string} setting what else differs from the experiment’s other cases
 * @property {string} way of failing over, or of coming back @property {string} mode durability mode
 * @property {string} writer of trials; `native`: of each trial the native writer that fared worst; of rounds the client
 * @property {string} server name and version @property {string} topology such as `2 replicas, 3 Sentinels`
 * @typedef {{median: number, low: number | null, high: number | null, spread: '95% interval' | 'range'}} Spread low: null: unknown; so is
 *   high; spread: what low and high are: the 95% interval of the median, or the least and the most
 * @typedef {Object} Figure
 * @property {string} metric @property {string} unit
 * @property {number | null} worst of a round or a trial; null: neither more nor less is better
 * @property {number | null} total of all rounds or trials; null: its unit is not a number of something
 * @property {number} n rounds or trials with the figure
 * @property {number | null} trialsWithLoss trials in which the writer lost acknowledged writes; null: no writer of trials
 * @property {Readonly<Record<string, unknown>>} conditions what else the case sets, as in `params` of result.json
 * @property {readonly number[]} values one for each round or trial with the figure, in their order; Infinity: an outage to the end.
 *   Only in memory
 * @typedef {Subject & Pick<Figure, 'conditions'>} FactSubject
 * @typedef {Subject & Spread & Figure} Fact
 */

/** Units in which a sum over rounds or trials says something. */
const COUNTED = new Set(['writes', 'operations', 'reads', 'errors', 'trials', 'rounds']);

/**
 * @param {FactSubject} subject @param {Metric} metric
 * @param {readonly number[]} raw one for each round or trial, at least one, as in result.json
 * @param {{spread: (values: readonly number[]) => Spread, trialsWithLoss?: number}} options spread: of the values in the metric's unit @returns {Fact}
 */
export function factOf(subject, { metric, unit, divisor = 1, better }, raw, { spread, trialsWithLoss }) {
  const values = divisor === 1 ? raw : raw.map((value) => value / divisor);
  return {
    ...subject,
    metric,
    unit,
    ...spread(values),
    worst: better === undefined ? null : better === 'more' ? Math.min(...values) : Math.max(...values),
    total: COUNTED.has(unit) ? sum(values) : null,
    n: values.length,
    trialsWithLoss: trialsWithLoss ?? null,
    values,
  };
}

/** @param {readonly number[]} values at least one; Infinity: without an end @returns {Spread} */
export function rangeOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  // The mean of the middle two; Infinity if one of them has no end.
  const median = (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.floor(sorted.length / 2)]) / 2;
  return { median, low: sorted[0], high: sorted[sorted.length - 1], spread: 'range' };
}
