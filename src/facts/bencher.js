/**
 * The figures of a run for Bencher, which follows figures from commit to commit.
 *
 * Cases of load give throughput, p50 and p99 with their 95% intervals over rounds. Cases of failure trials give, for each writer, the
 * acknowledged writes lost and the unavailability (median, least and most of the trials), and the share of trials with a loss (95%
 * Clopper–Pearson interval). Their throughput is set by a schedule, so it is left out.
 */
import { proportionInterval } from '../stats/statistics.js';
import { MS_A_SECOND, NS_A_MS } from '../units.js';
import { factsOf } from './index.js';
import { NATIVE } from './trials.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Fact } from './fact.js'
 */

/**
 * @typedef {Object} Followed a figure that Bencher follows
 * @property {string} measure lower case words joined by hyphens, at most 64 characters, as Bencher wants them
 * @property {number} value
 * @property {number} [lower_value] absent: unknown
 * @property {number} [upper_value] absent: unknown, such as an outage that did not end
 */

/**
 * Bencher Metric Format: https://bencher.dev/docs/reference/bencher-metric-format. `throughput` is Bencher’s own measure, in operations
 * a second; times are nanoseconds or, where the name ends in `-ms`, milliseconds.
 * @param {Result} result
 * @returns {string} JSON; empty if nothing was measured
 */
export function renderBencher(result) {
  /** @type {Record<string, Record<string, Omit<Followed, 'measure'>>>} by the case, for failure trials with the writer */
  const document = {};
  // A run has hundreds of facts for each case. One benchmark after the other, they take little memory.
  for (const benchmark of result.benchmarks) {
    for (const fact of followedIn(factsOf({ ...result, benchmarks: [benchmark] }))) {
      for (const { measure, ...figure } of FIGURES[fact.metric](fact)) {
        document[subjectOf(fact)] ??= {};
        document[subjectOf(fact)][measure] = figure;
      }
    }
  }
  return Object.keys(document).length === 0 ? '' : `${JSON.stringify(document, null, 2)}\n`;
}

/**
 * @param {readonly Fact[]} all of a benchmark
 * @returns {Fact[]} of an open loop the time that counts is the one from the scheduled send
 */
function followedIn(all) {
  const facts = all.filter(({ writer, trialsWithLoss }) => writer !== NATIVE || trialsWithLoss === null);
  const paced = new Set(facts.filter(({ metric }) => metric === 'p99-response-time').map(subjectOf));
  return facts
    .filter(({ metric }) => Object.hasOwn(FIGURES, metric))
    .filter((fact) => !fact.metric.endsWith('service-time') || !paced.has(subjectOf(fact)));
}

const inNs = (/** @type {Fact} */ fact) => [followed(fact, { factor: NS_A_MS })];

/** By metric. @type {Readonly<Record<string, (fact: Fact) => Followed[]>>} */
const FIGURES = Object.freeze({
  throughput: (fact) => [followed(fact)],
  'p50-service-time': inNs,
  'p99-service-time': inNs,
  'p50-response-time': inNs,
  'p99-response-time': inNs,
  'lost-writes': (fact) => [followed(fact, { measure: 'acked-writes-lost' }), riskOf(fact)],
  // Half of the outages did not end: there is no median.
  outage: (fact) =>
    Number.isFinite(fact.median) ? [followed(fact, { measure: 'unavailable-ms', factor: MS_A_SECOND })] : [],
});

/** @param {Fact} fact */
function subjectOf({ experiment, caseId, writer, trialsWithLoss }) {
  return [experiment, caseId, ...(trialsWithLoss === null ? [] : [writer])].join('/');
}

/**
 * @param {Fact} fact
 * @param {{measure?: string, factor?: number}} [how] measure: default: the metric; factor: to the unit of Bencher
 * @returns {Followed}
 */
function followed({ metric, median, low, high }, { measure = metric, factor = 1 } = {}) {
  // Removes the rounding error of the conversion.
  const inUnit = (/** @type {number} */ value) => (factor === 1 ? value : Number((value * factor).toPrecision(12)));
  return {
    measure,
    value: inUnit(median),
    ...(low !== null && { lower_value: inUnit(low) }),
    ...(high !== null && Number.isFinite(high) && { upper_value: inUnit(high) }),
  };
}

/**
 * @param {Fact} fact lost writes of a writer
 * @returns {Followed}
 */
function riskOf({ trialsWithLoss, n }) {
  const { low, high } = proportionInterval(Number(trialsWithLoss), n);
  return { measure: 'trials-with-a-loss', value: Number(trialsWithLoss) / n, lower_value: low, upper_value: high };
}
