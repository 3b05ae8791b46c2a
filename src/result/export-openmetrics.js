/**
 * A result in the OpenMetrics text format, for whatever stores and draws metrics: a summary of each case, in base units.
 */

import { sum } from '../stats/statistics.js';
import { MS_A_SECOND, NS_A_SECOND } from '../units.js';
import { cleaned } from '../untrusted.js';

/**
 * @import { AuditResult } from './failure-schema.js'
 * @import { BenchmarkResult, CaseParams, CaseResult, IntervalValue, Result } from './schema.js'
 */

const QUANTILES = Object.freeze({ min: 0, p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999, max: 1 });
const LIMITS = /** @type {const} */ (['client', 'primary', 'machine', 'nothing']);
const STATUSES = /** @type {const} */ (['ok', 'failed', 'skipped']);
const OUTCOMES = /** @type {const} */ (['acked', 'underAcked', 'rejected', 'unknown']);
/** Discrepancies between what writers saw and what nodes hold. */
const BROKEN = /** @type {const} */ ([
  'ackedLost',
  'underAckedLost',
  'rejectedPresent',
  'unsentPresent',
  'wrongValue',
  'appliedTwice',
  'surplus',
  'falseAcks',
]);

/**
 * @param {Result} result
 * @param {{timestamps?: boolean}} [options] timestamps: each sample has the end of the run as its time
 * @returns {Generator<string>} lines with their line ends; the last is `# EOF`
 */
export function openMetricsLines(result, { timestamps = false } = {}) {
  const families = [...runFamilies(result), ...caseFamilies(result), ...auditFamilies(result)];
  return familyLines(families, timestamps ? Date.parse(result.finishedAt) / MS_A_SECOND : null);
}

/**
 * @param {Result} result
 * @returns {Family[]}
 */
function runFamilies({ suite, profile, seed, startedAt, finishedAt, tool, stack, environment, benchmarks }) {
  const run = {
    suite,
    profile: profile.name,
    seed,
    version: tool.version,
    commit: tool.commit,
    backend: stack.backend,
    server: stack.server.name,
    server_version: stack.server.version ?? 'unknown',
    cpu_model: environment.cpuModel,
    cores: environment.cores,
    node: environment.node,
  };
  const time = (/** @type {string} */ text) => [{ labels: {}, value: Date.parse(text) / MS_A_SECOND }];
  return [
    {
      name: 'run',
      type: 'info',
      help: 'What was run, and where.',
      samples: [{ suffix: '_info', labels: run, value: 1 }],
    },
    {
      name: 'run_start_time_seconds',
      type: 'gauge',
      unit: 'seconds',
      help: 'When the run began, since the epoch.',
      samples: time(startedAt),
    },
    {
      name: 'run_end_time_seconds',
      type: 'gauge',
      unit: 'seconds',
      help: 'When the run ended, since the epoch.',
      samples: time(finishedAt),
    },
    {
      name: 'benchmark_status',
      type: 'stateset',
      help: 'Whether the benchmark was measured.',
      samples: benchmarks.flatMap(({ name, status }) =>
        states('benchmark_status', STATUSES, status, { benchmark: name }),
      ),
    },
    {
      name: 'check_ok',
      type: 'gauge',
      help: 'Whether a check of the benchmark holds: 1, or 0.',
      samples: benchmarks.flatMap(({ name, checks }) =>
        checks
          .filter(({ skipped }) => !skipped)
          .map((check) => ({ labels: { benchmark: name, check: check.name }, value: check.ok ? 1 : 0 })),
      ),
    },
  ];
}

/**
 * @param {Result} result
 * @returns {Family[]}
 */
function caseFamilies({ benchmarks }) {
  const each = function* (/** @type {(one: CaseResult, labels: Labels) => Sample[]} */ make) {
    for (const { name, cases } of benchmarks)
      for (const one of cases) yield* make(one, { benchmark: name, case: one.id });
  };
  return [
    {
      name: 'case',
      type: 'info',
      help: 'What the case sets.',
      samples: each(({ params }, labels) => [
        { suffix: '_info', labels: { ...labels, ...paramLabels(params) }, value: 1 },
      ]),
    },
    {
      name: 'case_limited_by',
      type: 'stateset',
      help: 'What limited the case.',
      samples: each(({ summary }, labels) => states('case_limited_by', LIMITS, summary.limitedBy, labels)),
    },
    {
      name: 'throughput_operations_per_second',
      type: 'gauge',
      unit: 'operations_per_second',
      help: 'Acked operations a second: median over the rounds and its 95% interval.',
      samples: each(({ summary }, labels) => interval(summary.throughput, labels)),
    },
    {
      name: 'throughput_relative_ratio',
      type: 'gauge',
      unit: 'ratio',
      help: 'Throughput as a ratio to the baseline, paired by round: median and its 95% interval.',
      samples: each(({ summary: { relativeToBaseline: relative } }, labels) =>
        relative ? interval(relative.throughput, { ...labels, baseline: relative.baseline }) : [],
      ),
    },
    {
      name: 'latency_seconds',
      type: 'summary',
      unit: 'seconds',
      help: 'Latency of all rounds together: service time, or response time where operations left on a schedule.',
      samples: each(latencySamples),
    },
    .../** @type {const} */ (['p50', 'p99']).map((percentile) => ({
      name: `latency_${percentile}_seconds`,
      type: /** @type {const} */ ('gauge'),
      unit: 'seconds',
      help: `The rounds’ ${percentile} of latency: median and its 95% interval.`,
      samples: each(({ summary }, labels) => interval(summary[`${percentile}Ns`], labels, 1 / NS_A_SECOND)),
    })),
    {
      name: 'operations',
      type: 'counter',
      help: 'What became of the operations of all rounds.',
      samples: each(({ rounds }, labels) =>
        OUTCOMES.map((outcome) => ({
          suffix: '_total',
          labels: { ...labels, outcome },
          value: sum(rounds.map(({ outcomes }) => outcomes[outcome])),
        })),
      ),
    },
    {
      name: 'errors',
      type: 'counter',
      help: 'How often each kind of error was seen in all rounds.',
      samples: each(({ rounds }, labels) =>
        [...new Set(rounds.flatMap(({ errors }) => Object.keys(errors)))].map((kind) => ({
          suffix: '_total',
          labels: { ...labels, kind },
          value: sum(rounds.map(({ errors }) => errors[kind] ?? 0)),
        })),
      ),
    },
  ];
}

/**
 * @param {Result} result
 * @returns {Family[]}
 */
function auditFamilies({ benchmarks }) {
  const each = function* (/** @type {(one: AuditResult, labels: Labels) => Sample[]} */ make) {
    for (const { name, audit = [] } of benchmarks)
      for (const one of audit)
        yield* make(one, { benchmark: name, case: one.case, round: one.round, writer: one.writer });
  };
  return [
    {
      name: 'audit_writes',
      type: 'counter',
      help: 'Answers to the writes of a writer in a trial; unsent: no connection could take them in time.',
      samples: each((one, labels) =>
        [...OUTCOMES, /** @type {const} */ ('unsent')].map((outcome) => ({
          suffix: '_total',
          labels: { ...labels, outcome },
          value: one[outcome],
        })),
      ),
    },
    {
      name: 'audit_findings',
      type: 'counter',
      help: 'Discrepancies between answers and nodes after healing. ackedLost: acknowledged, but lost.',
      samples: each((one, labels) =>
        BROKEN.flatMap((finding) => {
          const value = one[finding];
          return value === null ? [] : [{ suffix: '_total', labels: { ...labels, finding }, value }];
        }),
      ),
    },
    {
      name: 'audit_unavailable_seconds',
      type: 'gauge',
      unit: 'seconds',
      help: 'Longest time without an acknowledgement after the fault began; +Inf: it lasted until the end of the trial.',
      samples: each((one, labels) => [
        { labels, value: one.unavailableMs === null ? Number.POSITIVE_INFINITY : one.unavailableMs / MS_A_SECOND },
      ]),
    },
  ];
}

/**
 * @param {CaseResult} one
 * @param {Labels} labels
 * @returns {Sample[]} without quantiles when nothing was recorded
 */
function latencySamples({ rounds, summary: { latencyNs, samples } }, labels) {
  const timeLabels = { ...labels, time: rounds.some(({ openLoop }) => openLoop) ? 'response' : 'service' };
  const quantiles = Object.entries(QUANTILES).map(([name, quantile]) => ({
    labels: { ...timeLabels, quantile: String(quantile) },
    value: latencyNs[/** @type {keyof typeof QUANTILES} */ (name)] / NS_A_SECOND,
  }));
  return [
    ...(samples === 0 ? [] : quantiles),
    { suffix: '_count', labels: timeLabels, value: samples },
    { suffix: '_sum', labels: timeLabels, value: (latencyNs.mean * samples) / NS_A_SECOND },
  ];
}

/**
 * @param {CaseParams} params
 * @returns {Labels} lists and objects are JSON
 */
function paramLabels(params) {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );
}

/**
 * @typedef {Readonly<Record<string, string | number | null | undefined>>} Labels null, undefined: left out
 *
 * @typedef {Object} Sample
 * @property {Labels} labels
 * @property {number} value
 * @property {string} [suffix] of the family's name, such as `_total`
 *
 * @typedef {Object} Family
 * @property {string} name with its unit, without `sentinel_bench_`
 * @property {'gauge' | 'counter' | 'summary' | 'info' | 'stateset'} type
 * @property {string} [unit]
 * @property {string} help
 * @property {Iterable<Sample>} samples
 */

const PREFIX = 'sentinel_bench_';

/**
 * @param {readonly Family[]} families families without samples are left out
 * @param {number | null} at time of each sample in seconds since the epoch; null: no time
 * @returns {Generator<string>} lines with their line ends; the last is `# EOF`
 */
export function* familyLines(families, at) {
  const time = at === null ? '' : ` ${at}`;
  for (const { name, type, unit, help, samples } of families) {
    let isFirst = true;
    for (const { suffix = '', labels, value } of samples) {
      if (isFirst) {
        yield `# TYPE ${PREFIX}${name} ${type}\n`;
        if (unit !== undefined) yield `# UNIT ${PREFIX}${name} ${unit}\n`;
        yield `# HELP ${PREFIX}${name} ${escapeText(help)}\n`;
        isFirst = false;
      }
      yield `${PREFIX}${name}${suffix}${labelsText(labels)} ${numberText(value)}${time}\n`;
    }
  }
  yield '# EOF\n';
}

/**
 * @param {string} name of the family and of its label
 * @param {readonly string[]} all
 * @param {string} is
 * @param {Labels} labels
 * @returns {Sample[]}
 */
export function states(name, all, is, labels) {
  return all.map((state) => ({ labels: { ...labels, [`${PREFIX}${name}`]: state }, value: state === is ? 1 : 0 }));
}

/**
 * @param {IntervalValue} value
 * @param {Labels} labels
 * @param {number} [factor] to the base unit
 * @returns {Sample[]}
 */
export function interval({ median, low, high }, labels, factor = 1) {
  return Object.entries({ median, low, high }).map(([statistic, figure]) => ({
    labels: { ...labels, statistic },
    value: figure * factor,
  }));
}

/** @param {Labels} labels */
function labelsText(labels) {
  const given = Object.entries(labels).filter(([, value]) => value !== null && value !== undefined);
  if (given.length === 0) return '';
  return `{${given.map(([name, value]) => `${name}="${escapeText(String(value))}"`).join(',')}}`;
}

/** @param {string} text */
function escapeText(text) {
  return cleaned(text).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** @param {number} value */
function numberText(value) {
  return value === Number.POSITIVE_INFINITY ? '+Inf' : String(value);
}
