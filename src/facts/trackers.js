/**
 * The figures of a run for services that follow figures from commit to commit: Bencher and github-action-benchmark.
 *
 * Cases of load give throughput, p50 and p99 with their 95% intervals over rounds. Cases of failure trials give, for each writer, the
 * acknowledged writes lost and the unavailability (median, least and most of the trials), and the share of trials with a loss (95%
 * Clopper–Pearson interval). Their throughput is set by a schedule, so it is left out.
 */
import { proportionInterval } from '../stats/statistics.js';
import { MS_A_SECOND, NS_A_MS } from '../units.js';
import { cleanLine } from '../untrusted.js';
import { factsOf } from './index.js';
import { NATIVE } from './trials.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Fact } from './fact.js'
 */

/**
 * @typedef {'bigger' | 'smaller'} Better
 *
 * @typedef {Object} Figure
 * @property {string} subject the case, for failure trials with the writer; unique together with `measure`
 * @property {string} measure lower case words joined by hyphens, at most 64 characters, as Bencher wants them
 * @property {number} value in `unit`
 * @property {number | null} low null: unknown
 * @property {number | null} high null: unknown, such as an outage that did not end
 * @property {'operations/s' | 'ns' | 'ms' | 'writes' | 'share'} unit
 * @property {Better} better
 * @property {string} from what it was computed from, such as `5 rounds`
 */

/** github-action-benchmark prints values as they are, so latencies get a readable unit there. */

/**
 * Bencher Metric Format: https://bencher.dev/docs/reference/bencher-metric-format. `throughput` is Bencher’s own measure, in operations
 * a second; times are nanoseconds or, where the name ends in `-ms`, milliseconds.
 *
 * @param {Result} result
 * @returns {string} JSON; empty if nothing was measured
 */
export function renderBencher(result) {
  /** @type {Record<string, Record<string, {value: number, lower_value?: number, upper_value?: number}>>} */
  const document = {};
  for (const { subject, measure, value, low, high } of figuresOf(result)) {
    document[subject] ??= {};
    document[subject][measure] = {
      value,
      ...(low !== null && { lower_value: low }),
      ...(high !== null && { upper_value: high }),
    };
  }
  return Object.keys(document).length === 0 ? '' : `${JSON.stringify(document, null, 2)}\n`;
}

/**
 * The input of github-action-benchmark (https://github.com/benchmark-action/github-action-benchmark) for its tools `customBiggerIsBetter`
 * and `customSmallerIsBetter`. The action reads one direction from a file, so a run gives two files.
 *
 * @param {Result} result
 * @param {Better} better which figures
 * @returns {string} JSON; empty without such figures, because the action refuses an empty list
 */
export function renderActionBenchmark(result, better) {
  const { stack, tool } = result;
  const server = [stack.server.name, stack.server.version].filter(Boolean).join(' ');
  const entries = figuresOf(result)
    .filter((figure) => figure.better === better)
    .map(inReadableUnit)
    .map(({ subject, measure, value, low, high, unit, from }) => ({
      name: `${subject}: ${measure}`,
      unit,
      value,
      ...(low !== null && { range: `${shown(low)}–${high === null ? '' : shown(high)}` }),
      extra: cleanLine(`${from}; ${server}, ${stack.backend}; sentinel-bench ${tool.version}`),
    }));
  return entries.length === 0 ? '' : `${JSON.stringify(entries, null, 2)}\n`;
}

/**
 * @param {Figure} figure
 * @returns {Figure}
 */
function inReadableUnit(figure) {
  if (figure.unit !== 'ns') return figure;
  const inMs = (/** @type {number | null} */ value) => value && value / NS_A_MS;
  return { ...figure, unit: 'ms', value: figure.value / NS_A_MS, low: inMs(figure.low), high: inMs(figure.high) };
}

/** @param {number} value */
function shown(value) {
  return String(Number(value.toPrecision(4)));
}

/**
 * @param {Result} result
 * @returns {Figure[]} one after the other as cases and their writers come
 */
function figuresOf(result) {
  // A run has hundreds of facts for each case. One benchmark after the other, they take little memory.
  return result.benchmarks.flatMap((benchmark) => figuresOfFacts(factsOf({ ...result, benchmarks: [benchmark] })));
}

/**
 * @param {readonly Fact[]} all of a benchmark
 * @returns {Figure[]}
 */
function figuresOfFacts(all) {
  const facts = all.filter(({ writer, trialsWithLoss }) => writer !== NATIVE || trialsWithLoss === null);
  // Of an open loop the time that counts is the one from the scheduled send.
  const paced = new Set(facts.filter(({ metric }) => metric === 'p99-response-time').map(subjectOf));
  return facts
    .filter((fact) => !fact.metric.endsWith('service-time') || !paced.has(subjectOf(fact)))
    .flatMap((fact) => FIGURES[fact.metric]?.(fact) ?? []);
}

/** What services follow, by metric. @type {Readonly<Record<string, (fact: Fact) => Figure[]>>} */
const FIGURES = Object.freeze({
  throughput: (fact) => [figureOf(fact, { unit: 'operations/s', better: 'bigger' })],
  ...Object.fromEntries(
    ['p50', 'p99'].flatMap((percentile) =>
      ['service-time', 'response-time'].map((time) => [
        `${percentile}-${time}`,
        (/** @type {Fact} */ fact) => [figureOf(fact, { unit: 'ns', factor: NS_A_MS })],
      ]),
    ),
  ),
  'lost-writes': (fact) => [figureOf(fact, { measure: 'acked-writes-lost', unit: 'writes' }), riskOf(fact)],
  outage: (fact) => outageFigures(figureOf(fact, { measure: 'unavailable-ms', unit: 'ms', factor: MS_A_SECOND })),
});

/** @param {Fact} fact */
function subjectOf({ experiment, caseId, writer, trialsWithLoss }) {
  return [experiment, caseId, ...(trialsWithLoss === null ? [] : [writer])].join('/');
}

/**
 * @param {Fact} fact
 * @param {{unit: Figure['unit'], measure?: string, factor?: number, better?: Better}} how measure: default: the metric; factor: to the unit
 * @returns {Figure}
 */
function figureOf(fact, { unit, measure = fact.metric, factor = 1, better = 'smaller' }) {
  // Removes the rounding error of the conversion.
  const inUnit = (/** @type {number} */ value) => (factor === 1 ? value : Number((value * factor).toPrecision(12)));
  return {
    subject: subjectOf(fact),
    measure,
    value: inUnit(fact.median),
    low: fact.low === null ? null : inUnit(fact.low),
    high: fact.high === null ? null : inUnit(fact.high),
    unit,
    better,
    from: `${fact.n} ${fact.trialsWithLoss === null ? 'rounds' : 'trials'}`,
  };
}

/**
 * @param {Fact} fact lost writes of a writer
 * @returns {Figure}
 */
function riskOf(fact) {
  const withLoss = Number(fact.trialsWithLoss);
  return {
    ...figureOf(fact, { measure: 'trials-with-a-loss', unit: 'share' }),
    ...{ value: withLoss / fact.n, ...proportionInterval(withLoss, fact.n) },
  };
}

/**
 * @param {Figure} figure
 * @returns {Figure[]} empty: half of the outages did not end
 */
function outageFigures(figure) {
  if (!Number.isFinite(figure.value)) return [];
  return [Number.isFinite(figure.high) ? figure : { ...figure, high: null }];
}
