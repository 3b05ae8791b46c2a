/**
 * A run, phase by phase: open the stack, describe it, measure each benchmark, put everything back, write the results.
 */
import { randomBytes } from 'node:crypto';
import { connectControl, loginFor } from '../cluster/control.js';
import { openCluster } from '../cluster/index.js';
import { KEY_NAMESPACE } from '../cluster/topology.js';
import { startLoadThread } from '../load/load-thread.js';
import { publicConfig } from '../measure/config.js';
import { describeEnvironment } from '../measure/environment.js';
import { randomFrom } from '../measure/random.js';
import { summarise } from '../measure/summary.js';
import { toolVersion } from '../measure/version.js';
import { SCHEMA_ID } from '../report/schema.js';
import { toolCommit } from './commit.js';
import { Interrupted } from './interruption.js';
import { keyspaceFor, removeKeys } from './keys.js';
import { createEstimate } from './progress.js';
import { measureRounds } from './rounds.js';

/**
 * @typedef {import('./types.js').Benchmark} Benchmark
 * @typedef {import('../report/schema.js').Result} Result
 * @typedef {import('../report/schema.js').BenchmarkResult} BenchmarkResult
 *
 * @typedef {Object} RunOptions
 * @property {string} suite name of what is run, for the folder and the report
 * @property {Benchmark[]} benchmarks
 * @property {import('./types.js').Profile} profile
 * @property {import('../client/types.js').ClientName} [client] measure with this client only
 * @property {number} seed 32-bit
 * @property {string} command the command line, without secrets
 * @property {import('../cluster/types.js').ClusterOptions} cluster
 * @property {import('./progress.js').Progress} progress
 * @property {AbortSignal} signal
 */

/** What connecting, draining and sampling add to a round, roughly; only for the first estimate. */
const ROUND_OVERHEAD_SECONDS = 0.04;

/**
 * @param {RunOptions} options
 * @returns {Promise<{result: Result, logs: Map<string, string[]>, interrupted: Interrupted | null}>} `logs`: the last log
 *   lines of each node, when a benchmark failed. An interruption after the first benchmark still gives a result: what
 *   was not measured is `skipped`.
 * @throws {import('../errors.js').UserError} the stack cannot be had; interrupted before there was a result
 */
export async function runSuite(options) {
  const { progress, signal } = options;
  const startedAt = new Date().toISOString();
  const random = randomFrom(options.seed);
  progress.now('starting the stack');
  const cluster = await openCluster({ ...options.cluster, tell: progress.tell, signal });
  /** @type {Map<string, import('../cluster/control.js').Control>} */
  const controls = new Map();
  const loadThread = startLoadThread();
  /** @type {Map<string, string[]>} */
  const logs = new Map();
  /** @type {Interrupted | null} */
  let interrupted = null;
  try {
    for (const node of cluster.nodes.filter(({ kind }) => kind === 'redis')) {
      controls.set(node.id, await connectControl(node.address, loginFor(cluster.credentials, node.kind)));
    }
    progress.tell(`Measuring ${cluster.server.name} ${cluster.server.version} on ${cluster.backend}: ${cluster.why}`);
    const [environment, clusterDocument] = await Promise.all([
      describeEnvironment(),
      describeCluster(cluster, controls),
    ]);
    const plan = options.benchmarks.map((benchmark) => ({
      benchmark,
      cases: benchmark.cases({ profile: options.profile, client: options.client }),
      missing: benchmark.needs.filter((ability) => !cluster.can.has(ability)),
    }));
    const estimate = createEstimate(
      plan.reduce((sum, { cases, missing }) => sum + (missing.length > 0 ? 0 : cases.length), 0) *
        options.profile.rounds,
      options.profile.seconds + options.profile.warmUpSeconds + ROUND_OVERHEAD_SECONDS,
    );

    /** @type {BenchmarkResult[]} */
    const benchmarks = [];
    for (const { benchmark, cases, missing } of plan) {
      if (interrupted) {
        benchmarks.push(
          notMeasured(benchmark, 'skipped', 'The run was interrupted before; start it again to measure.'),
        );
        continue;
      }
      if (missing.length > 0) {
        const reason = `The ${cluster.backend} backend cannot ${missing.join(', ')} here; use --backend local or docker.`;
        progress.tell(`${benchmark.name}: skipped. ${reason}`);
        benchmarks.push(notMeasured(benchmark, 'skipped', reason));
        continue;
      }
      try {
        const bench = { cluster, controls, loadThread, profile: options.profile, random, signal };
        benchmarks.push(await measureBenchmark(bench, benchmark, cases, { progress, estimate, seed: options.seed }));
      } catch (error) {
        if (signal.aborted) {
          if (benchmarks.length === 0 || !(signal.reason instanceof Interrupted)) throw error;
          interrupted = signal.reason;
          benchmarks.push(
            notMeasured(benchmark, 'skipped', 'The run was interrupted meanwhile; start it again to measure.'),
          );
          continue;
        }
        const reason = error instanceof Error ? error.message : String(error);
        progress.tell(`${benchmark.name}: failed. ${reason}`);
        benchmarks.push(notMeasured(benchmark, 'failed', reason));
        for (const { id } of cluster.nodes) logs.set(id, await cluster.logs(id, 200).catch((why) => [String(why)]));
        await cluster.heal();
      }
    }
    return {
      result: {
        schema: SCHEMA_ID,
        startedAt,
        finishedAt: new Date().toISOString(),
        command: options.command,
        suite: options.suite,
        profile: options.profile,
        seed: options.seed,
        tool: { version: toolVersion, commit: await toolCommit() },
        environment,
        cluster: clusterDocument,
        benchmarks,
      },
      logs,
      interrupted,
    };
  } finally {
    progress.now('taking everything down');
    await loadThread.close();
    for (const control of controls.values()) control.close();
    await cluster.close();
    progress.stop();
  }
}

/**
 * @param {import('./rounds.js').Bench} bench
 * @param {Benchmark} benchmark
 * @param {import('./types.js').Case[]} cases
 * @param {{progress: import('./progress.js').Progress, estimate: ReturnType<typeof createEstimate>, seed: number}} ui
 * @returns {Promise<BenchmarkResult>}
 */
async function measureBenchmark(bench, benchmark, cases, { progress, estimate, seed }) {
  const { rounds, seconds } = bench.profile;
  progress.tell(`${benchmark.name}: ${cases.length} cases × ${rounds} rounds of ${seconds} s`);
  // A prefix of its own: whatever a database holds, none of it starts like this.
  const keyPrefix = `${KEY_NAMESPACE}${randomBytes(6).toString('hex')}:`;
  try {
    const results = await measureRounds(bench, benchmark, cases, keyPrefix, (round, { id }) => {
      if (round > 1 || id !== cases[0].id) estimate.roundDone();
      progress.now(`${benchmark.name}: round ${round} of ${rounds}, ${id}, ${estimate.left()}`);
    });
    estimate.roundDone();
    const document = {
      ...notMeasured(benchmark, 'ok'),
      cases: cases.map(({ id, params, baseline }) => {
        const own = results.get(id) ?? [];
        const baselineRounds = (baseline !== undefined && results.get(baseline)) || null;
        return { id, params, rounds: own, summary: summarise(own, baselineRounds, { baselineId: baseline, seed }) };
      }),
    };
    document.checks = benchmark.checks(document);
    document.findings = benchmark.findings(document);
    return document;
  } finally {
    await removeAllKeys(bench, cases, keyPrefix);
  }
}

/**
 * @param {import('./rounds.js').Bench} bench
 * @param {import('./types.js').Case[]} cases
 * @param {string} keyPrefix
 */
async function removeAllKeys({ cluster, controls }, cases, keyPrefix) {
  const { id } = await cluster.primary();
  const primary = controls.get(id);
  if (!primary) throw new Error(`no control connection to ${id}`);
  // read-after-write gives each connection a key space of its own, and one to the background.
  const count = Math.max(
    ...cases.map(({ params }) => {
      const spaces = params.backgroundConnections === undefined ? 1 : params.connections + 1;
      return keyspaceFor(params.payloadBytes) * spaces;
    }),
  );
  await removeKeys(primary, keyPrefix, count);
}

/**
 * @param {Benchmark} benchmark
 * @param {BenchmarkResult['status']} status
 * @param {string} [reason]
 * @returns {BenchmarkResult}
 */
function notMeasured({ name, question }, status, reason) {
  return { name, question, status, ...(reason !== undefined && { reason }), cases: [], findings: [], checks: [] };
}

/**
 * @param {import('../cluster/types.js').Cluster} cluster
 * @param {Map<string, import('../cluster/control.js').Control>} controls
 * @returns {Promise<Result['cluster']>}
 */
async function describeCluster(cluster, controls) {
  const primary = await cluster.primary();
  /** @type {Result['cluster']['config']} */
  const config = {};
  if (cluster.can.has('configure')) {
    for (const [id, control] of controls) {
      const flat = /** @type {string[]} */ (await control.call('CONFIG', 'GET', '*'));
      const pairs = Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
      config[id] = publicConfig(Object.fromEntries(pairs));
    }
  }
  return {
    backend: cluster.backend,
    why: cluster.why,
    server: cluster.server,
    path: cluster.path,
    masterName: cluster.masterName,
    nodes: cluster.nodes.map(({ id, kind }) => ({
      id,
      kind,
      role: kind === 'sentinel' ? 'sentinel' : id === primary.id ? 'primary' : 'replica',
    })),
    config,
  };
}
