/**
 * The figures of a run for services that follow figures from commit to commit: Bencher and github-action-benchmark.
 *
 * Cases of load give throughput, p50 and p99 with their 95% intervals over rounds. Cases of failure trials give, for each writer, the
 * acknowledged writes lost and the unavailability (median, least and most of the trials), and the share of trials with a loss (95%
 * Clopper–Pearson interval). Their throughput is set by a schedule, so it is left out.
 */
import { median, proportionInterval } from '../stats/statistics.js';
import { NS_A_MS } from '../units.js';
import { cleanLine } from '../untrusted.js';

/**
 * @import { AuditResult } from '../result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult, IntervalValue, Result } from '../result/schema.js'
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
 * @returns {Figure[]}
 */
function figuresOf({ benchmarks }) {
  return benchmarks.flatMap((benchmark) =>
    benchmark.cases.flatMap((one) =>
      benchmark.audit ? failureFigures(benchmark, one) : loadFigures(benchmark.name, one),
    ),
  );
}

/**
 * @param {string} benchmark
 * @param {CaseResult} one
 * @returns {Figure[]} without latencies if none was recorded
 */
function loadFigures(benchmark, { id, rounds, summary }) {
  const subject = `${benchmark}/${id}`;
  const from = `${rounds.length} rounds`;
  const time = rounds.some(({ openLoop }) => openLoop) ? 'response-time' : 'service-time';
  /** @type {(measure: string, interval: IntervalValue, unit: Figure['unit'], better: Better) => Figure} */
  const figure = (measure, { median: value, low, high }, unit, better) => ({
    ...{ subject, measure, value, low, high, unit, better, from },
  });
  return [
    figure('throughput', summary.throughput, 'operations/s', 'bigger'),
    ...(summary.samples === 0
      ? []
      : [figure(`p50-${time}`, summary.p50Ns, 'ns', 'smaller'), figure(`p99-${time}`, summary.p99Ns, 'ns', 'smaller')]),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {Figure[]}
 */
function failureFigures({ name, audit = [] }, { id }) {
  const caseAudits = audit.filter((each) => each.case === id);
  return [...new Set(caseAudits.map(({ writer }) => writer))].flatMap((writer) =>
    writerFigures(
      `${name}/${id}/${writer}`,
      caseAudits.filter((each) => each.writer === writer),
    ),
  );
}

/**
 * @param {string} subject
 * @param {AuditResult[]} audits of one writer, one a trial; at least one
 * @returns {Figure[]} without the unavailability if half of the outages did not end
 */
function writerFigures(subject, audits) {
  const from = `${audits.length} trials`;
  const losses = audits.map(({ ackedLost }) => ackedLost);
  const withLoss = losses.filter((lost) => lost > 0).length;
  const { low, high } = proportionInterval(withLoss, losses.length);
  /** @type {(measure: string, unit: Figure['unit'], values: number[]) => Figure} */
  const spread = (measure, unit, values) => ({
    ...{ subject, measure, unit, from, better: 'smaller' },
    ...{ value: median(values), low: Math.min(...values), high: Math.max(...values) },
  });
  /** @type {Figure} */
  const risk = {
    ...{ subject, measure: 'trials-with-a-loss', unit: 'share', from, better: 'smaller' },
    ...{ value: withLoss / losses.length, low, high },
  };
  const ended = audits.flatMap(({ unavailableMs }) => unavailableMs ?? []);
  const endless = audits.length - ended.length;
  const figures = [spread('acked-writes-lost', 'writes', losses), risk];
  if (2 * endless >= audits.length) return figures;
  // An outage that did not end is longer than the others; how long does not change the median.
  const outages = [...ended, ...new Array(endless).fill(Math.max(...ended))];
  const unavailable = spread('unavailable-ms', 'ms', outages);
  return [...figures, endless === 0 ? unavailable : { ...unavailable, high: null }];
}
