/**
 * The facts of a run in the OpenMetrics text format: a family for each metric, in base units.
 * @import { MetricFamily, MetricSample } from '../result/openmetrics.js'
 * @import { BenchmarkResult, Result, ResultInParts } from '../result/schema.js'
 * @import { Fact } from './fact.js'
 * @import { SuiteTerms } from './index.js'
 */
import { familyLines } from '../result/openmetrics.js';
import { MS_A_SECOND } from '../units.js';
import { benchmarkFacts } from './index.js';
import { METRICS } from './metrics.js';

/** What a sample of a fact is. */
const STATISTICS = /** @type {const} */ (['median', 'low', 'high', 'worst', 'total']);

/**
 * @param {ResultInParts} result @param {SuiteTerms} terms as for {@link benchmarkFacts}
 * @param {{timestamps?: boolean}} [options] timestamps: each sample has the end of the run as its time
 * @returns {Generator<string>} lines with their line ends; the last is `# EOF`
 */
export function openMetricsLines(result, terms, { timestamps = false } = {}) {
  /** @type {Fact[]} */
  const facts = [];
  const benchmarks = [];
  for (const benchmark of result.benchmarks) {
    const { name, status, checks } = benchmark;
    benchmarks.push({ name, status, checks });
    for (const fact of benchmarkFacts(result, benchmark, terms)) facts.push({ ...fact, values: [] });
  }
  const families = [...runFamilies({ ...result, benchmarks }), ...factFamilies(facts)];
  return familyLines(families, timestamps ? Date.parse(result.finishedAt) / MS_A_SECOND : null);
}

/** @param {Omit<Result, 'benchmarks'> & {benchmarks: Pick<BenchmarkResult, 'name' | 'status' | 'checks'>[]}} result @returns {MetricFamily[]} */
function runFamilies({ suite, profile, seed, startedAt, tool, stack, environment, benchmarks }) {
  const { cpuModel, cores, node } = environment;
  const labels = {
    suite,
    profile: profile.name,
    seed,
    version: tool.version,
    commit: tool.commit,
    backend: stack.backend,
    server: stack.server.name,
    server_version: stack.server.version ?? 'unknown',
    cpu_model: cpuModel,
    cores,
    node,
  };
  const measured = benchmarks.map(({ name: experiment, status }) => ({
    labels: { experiment },
    value: Number(status === 'ok'),
  }));
  const checks = benchmarks.flatMap(({ name: experiment, checks }) =>
    checks.map((check) => ({ experiment, ...check })),
  );
  const held = checks
    .filter(({ skipped }) => !skipped)
    .map(({ experiment, name: check, ok }) => ({ labels: { experiment, check }, value: Number(ok) }));
  return [
    { name: 'run', type: 'info', help: 'What was run, and where.', samples: [{ suffix: '_info', labels, value: 1 }] },
    {
      ...gauge('run_start_time_seconds', 'When the run began, since the epoch.', [
        { labels: {}, value: Date.parse(startedAt) / MS_A_SECOND },
      ]),
      unit: 'seconds',
    },
    gauge('benchmark_ok', 'Whether the benchmark was measured: 1, or 0.', measured),
    gauge('check_ok', 'Whether a check of the benchmark holds: 1, or 0.', held),
  ];
}

/** @param {string} name @param {string} help @param {MetricFamily['samples']} samples @returns {MetricFamily} */
function gauge(name, help, samples) {
  return { name, type: 'gauge', help, samples };
}

/** @param {readonly Fact[]} facts @returns {MetricFamily[]} a family stands in one piece, so facts are gathered by metric */
function factFamilies(facts) {
  /** @type {Map<string, Fact[]>} */
  const families = new Map();
  for (const fact of facts) {
    const { unit } = METRICS.base[fact.unit] ?? { unit: fact.unit === 'count' ? '' : fact.unit };
    const word = fact.metric.replaceAll(/[^a-z0-9]+/g, '_');
    const name = unit === '' || word.endsWith(unit) ? word : `${word}_${unit}`;
    if (!families.has(name)) families.set(name, []);
    families.get(name)?.push(fact);
  }
  return Array.from(families, ([name, some]) => {
    const help = `The metric ${some[0].metric} of facts.csv.`;
    // Made when they are written: all samples together take hundreds of megabytes.
    const samples = {
      *[Symbol.iterator]() {
        for (const fact of some) yield* samplesOf(fact);
      },
    };
    return gauge(name, help, samples);
  });
}

/** @param {Fact} fact @returns {MetricSample[]} */
function samplesOf(fact) {
  const { factor = 1 } = METRICS.base[fact.unit] ?? {};
  const { experiment, caseId, length, placement, setting, way, mode, writer, server, topology } = fact;
  const labels = { experiment, case: caseId, length, placement, setting, way, mode, writer, server, topology };
  return STATISTICS.flatMap((statistic) => {
    const value = fact[statistic];
    return value === null ? [] : [{ labels: { ...labels, statistic }, value: value * factor }];
  });
}
