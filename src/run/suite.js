/**
 * A run, phase by phase: open the stack, describe it, measure each benchmark, put everything back.
 */
import { openCluster } from '../cluster/index.js';
import { describeEnvironment } from '../measure/environment.js';
import { randomFrom } from '../measure/random.js';
import { toolVersion } from '../measure/version.js';
import { SCHEMA_ID } from '../report/schema.js';
import { abandonKeys, closeBench, connectControls, createBench, healBench, whyFailed } from './bench.js';
import { measureBenchmark, notMeasured } from './benchmark.js';
import { toolCommit } from './commit.js';
import { describeCluster } from './describe.js';
import { newKeys } from './keys.js';
import { createEstimate } from './progress.js';

/**
 * @typedef {import('./types.js').Benchmark} Benchmark
 * @typedef {import('./rounds.js').Bench} Bench
 * @typedef {import('../report/schema.js').Result} Result
 * @typedef {import('../report/schema.js').BenchmarkResult} BenchmarkResult
 *
 * @typedef {Object} RunOptions
 * @property {string} suite name of what is run, for the folder and the report
 * @property {Benchmark[]} benchmarks
 * @property {import('./types.js').Profile} profile
 * @property {import('../client/types.js').ClientName} [client] measure with this client only
 * @property {import('./types.js').Slo} [slo] for benchmarks that search for it
 * @property {number} seed 32-bit
 * @property {string} command the command line, without secrets
 * @property {import('../cluster/types.js').ClusterOptions} cluster
 * @property {import('./progress.js').Progress} progress
 * @property {AbortSignal} signal
 *
 * @typedef {Object} Measured
 * @property {BenchmarkResult[]} benchmarks in the order asked for; what was not measured says why
 * @property {Map<string, string[]>} logs `<benchmark>.<node>` → the node's last log lines, for each benchmark that failed
 * @property {unknown} stopped why no more was measured, or what could not be put back; undefined: nothing of the kind. To be
 *   thrown once the results are safe.
 */

/** What connecting, draining and sampling add to a round, roughly; only for the first estimate. */
const ROUND_OVERHEAD_SECONDS = 0.04;

const LOG_LINES = 200;

/**
 * @param {RunOptions} options
 * @returns {Promise<Pick<Measured, 'logs' | 'stopped'> & {result: Result}>} whatever stops a run after its first
 *   benchmark, there is a result: the rest is `skipped`
 * @throws {import('../errors.js').UserError} the stack cannot be had; interrupted before there was a result
 */
export async function runSuite(options) {
  const { progress, profile, signal } = options;
  try {
    progress.now('starting the stack');
    const startedAt = new Date().toISOString();
    const cluster = await openCluster({ ...options.cluster, tell: progress.tell, signal });
    const bench = createBench(cluster, { profile, random: randomFrom(options.seed), signal });
    const { benchmarks, logs, stopped, environment, clusterDocument } = await thenClose(bench, progress, async () => {
      await connectControls(bench);
      progress.tell(`Measuring ${cluster.server.name} ${cluster.server.version} on ${cluster.backend}: ${cluster.why}`);
      const [environment, clusterDocument] = await Promise.all([
        describeEnvironment(),
        describeCluster(cluster, bench.controls),
      ]);
      return { environment, clusterDocument, ...(await measureAll(bench, options)) };
    });
    return {
      result: {
        schema: SCHEMA_ID,
        startedAt,
        finishedAt: new Date().toISOString(),
        command: options.command,
        suite: options.suite,
        profile,
        seed: options.seed,
        tool: { version: toolVersion, commit: await toolCommit() },
        environment,
        cluster: clusterDocument,
        benchmarks,
      },
      logs,
      stopped,
    };
  } finally {
    progress.stop();
  }
}

/**
 * What was measured outlives a failure to close.
 *
 * @template {Measured} T
 * @param {Bench} bench is closed, whatever `work` does
 * @param {import('./progress.js').Progress} progress
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function thenClose(bench, progress, work) {
  /** @type {T} */
  let measured;
  try {
    measured = await work();
  } catch (error) {
    await closeBench(bench);
    throw error;
  }
  progress.now('taking everything down');
  try {
    await closeBench(bench);
  } catch (error) {
    return { ...measured, stopped: error };
  }
  return measured;
}

/**
 * @param {Bench} bench
 * @param {RunOptions} options
 * @returns {Promise<Measured>}
 */
async function measureAll(bench, { benchmarks: chosen, profile, client, seed, slo, progress }) {
  const { cluster, signal } = bench;
  const plan = chosen.map((benchmark) => ({
    benchmark,
    cases: benchmark.cases({ profile, client }),
    missing: benchmark.needs.filter((ability) => !cluster.can.has(ability)),
  }));
  const rounds = plan.reduce((sum, { cases, missing }) => sum + (missing.length > 0 ? 0 : cases.length), 0);
  const estimate = createEstimate(
    rounds * profile.rounds,
    profile.seconds + profile.warmUpSeconds + ROUND_OVERHEAD_SECONDS,
  );

  /** @type {BenchmarkResult[]} */
  const benchmarks = [];
  /** @type {Measured['logs']} */
  const logs = new Map();
  /** @type {unknown} */
  let stopped;
  for (const { benchmark, cases, missing } of plan) {
    if (stopped !== undefined) {
      benchmarks.push(notMeasured(benchmark, 'skipped', 'The run had ended before; start it again to measure.'));
      continue;
    }
    if (missing.length > 0) {
      const reason = `The ${cluster.backend} backend cannot ${missing.join(', ')} here; use --backend local or docker.`;
      progress.tell(`${benchmark.name}: skipped. ${reason}`);
      benchmarks.push(notMeasured(benchmark, 'skipped', reason));
      continue;
    }
    const keys = newKeys(cases);
    try {
      benchmarks.push(await measureBenchmark(bench, benchmark, cases, keys, { progress, estimate, seed, slo }));
    } catch (error) {
      if (signal.aborted) {
        stopped = await abandonKeys(bench, keys, signal.reason);
        if (benchmarks.length === 0) throw stopped;
        benchmarks.push(
          notMeasured(benchmark, 'skipped', 'The run was interrupted meanwhile; start it again to measure.'),
        );
        continue;
      }
      const reason = await whyFailed(error, cluster);
      progress.tell(`${benchmark.name}: failed. ${reason}`);
      benchmarks.push(notMeasured(benchmark, 'failed', reason));
      await keepLogs(cluster, benchmark, logs);
      try {
        progress.now('healing the stack');
        await healBench(bench, keys);
      } catch (failure) {
        stopped = await abandonKeys(bench, keys, failure);
      }
    }
  }
  return { benchmarks, logs, stopped };
}

/**
 * @param {import('../cluster/types.js').Cluster} cluster
 * @param {Benchmark} benchmark that failed
 * @param {Measured['logs']} logs
 */
async function keepLogs(cluster, benchmark, logs) {
  if (!cluster.can.has('logs')) return;
  for (const { id } of cluster.nodes) {
    logs.set(`${benchmark.name}.${id}`, await cluster.logs(id, LOG_LINES).catch((why) => [String(why)]));
  }
}
