/**
 * A run, phase by phase: open the stack, describe it, measure each benchmark, put everything back.
 */
import { DISTURBING_ACTIONS } from '../cluster/actions.js';
import { openCluster } from '../cluster/index.js';
import { describeEnvironment } from '../measure/environment.js';
import { randomFrom } from '../measure/random.js';
import { toolVersion } from '../measure/version.js';
import { SCHEMA_ID } from '../report/schema.js';
import { abandonKeys, closeBench, connectControls, createBench, healBench, whyFailed } from './bench.js';
import { measureBenchmark, notMeasured } from './benchmark.js';
import { toolCommit } from './commit.js';
import { describeCluster } from './describe.js';
import { measureFailures } from './failures.js';
import { newKeys } from './keys.js';
import { keepLogs } from './node-logs.js';
import { createEstimate } from './progress.js';
import { recoverJournals } from './recover.js';

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
 * @property {number} [lanes] trials of failure benchmarks side by side, ≥ 1; default 1
 * @property {Partial<import('../report/schema.js').CaseParams>} [trialParams] what the user asks of all cases of failure benchmarks
 * @property {() => Promise<string>} [folder] the run's, made when first asked for; failure benchmarks need it
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

/** What a local stack can do when it is started with links, where the system has loopback addresses to spare. */
const LINK_ABILITIES = new Set(['cut', 'slow-link']);
/** Abilities that commands give to an external cluster. @type {readonly string[]} */
const NAMED_BY_COMMANDS = DISTURBING_ACTIONS;
const LINKS_ARE_POSSIBLE = process.platform === 'linux';

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
    const stuck = await recoverJournals({ tell: progress.tell, credentials: options.cluster.credentials });
    const cluster = await openCluster({ ...options.cluster, tell: progress.tell, signal });
    const unfit = stuck.find(({ identity }) => identity === cluster.identity);
    if (unfit) {
      await cluster.close();
      throw unfit.error;
    }
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
async function measureAll(bench, options) {
  const { benchmarks: chosen, profile, client, seed, slo, progress, trialParams } = options;
  const { cluster, signal } = bench;
  const { server } = cluster;
  const plan = chosen.map((benchmark) => {
    const cases = benchmark.cases({ profile, client, server });
    return {
      benchmark,
      cases:
        benchmark.generator === 'trials'
          ? cases.map((theCase) => ({ ...theCase, params: { ...theCase.params, ...trialParams } }))
          : cases,
      missing: missingFor(benchmark, cluster, trialParams),
    };
  });
  const rounds = plan
    .filter(({ benchmark, missing }) => benchmark.generator !== 'trials' && missing.length === 0)
    .reduce((sum, { cases }) => sum + cases.length, 0);
  const estimate = createEstimate(
    rounds * profile.rounds,
    profile.seconds + profile.warmUpSeconds + ROUND_OVERHEAD_SECONDS,
  );

  /** @type {Map<string, BenchmarkResult>} */
  const documents = new Map();
  /** @type {Measured['logs']} */
  const logs = new Map();
  /** @type {unknown} */
  let stopped;
  /** @type {import('./failures.js').Planned[]} */
  const failures = [];
  for (const { benchmark, cases, missing } of plan) {
    if (stopped !== undefined) {
      documents.set(
        benchmark.name,
        notMeasured(benchmark, 'skipped', 'The run had ended before; start it again to measure.'),
      );
      continue;
    }
    if (missing.length > 0) {
      const reason = `The ${cluster.backend} ${cluster.ours ? 'backend' : cluster.backend === 'external' ? 'deployment' : 'stack that is up'} cannot ${missing.join(', ')} here; ${remedyFor(cluster, missing)}`;
      progress.tell(`${benchmark.name}: skipped. ${reason}`);
      documents.set(benchmark.name, notMeasured(benchmark, 'skipped', reason));
      continue;
    }
    if (cases.length === 0) {
      const reason = `None of its cases is measured through ${client}; leave out --client.`;
      documents.set(benchmark.name, notMeasured(benchmark, 'skipped', reason));
      continue;
    }
    if (benchmark.generator === 'trials') {
      // Together, at the end: their trials run side by side.
      failures.push({ benchmark, cases });
      continue;
    }
    const keys = newKeys(cases);
    try {
      const document = await measureBenchmark(bench, benchmark, cases, keys, { progress, estimate, seed, slo });
      documents.set(benchmark.name, document);
    } catch (error) {
      if (signal.aborted) {
        stopped = await abandonKeys(bench, keys, signal.reason);
        if (documents.size === 0) throw stopped;
        documents.set(
          benchmark.name,
          notMeasured(benchmark, 'skipped', 'The run was interrupted meanwhile; start it again to measure.'),
        );
        continue;
      }
      const reason = await whyFailed(error, cluster);
      progress.tell(`${benchmark.name}: failed. ${reason}`);
      documents.set(benchmark.name, notMeasured(benchmark, 'failed', reason));
      await keepLogs(cluster, benchmark.name, logs);
      try {
        progress.now('healing the stack');
        await healBench(bench, keys);
      } catch (failure) {
        stopped = await abandonKeys(bench, keys, failure);
      }
    }
  }
  if (failures.length > 0) {
    const measured = await measureFailures(failures, { ...options, bench, stopped });
    for (const [name, document] of measured.documents) documents.set(name, document);
    for (const [name, lines] of measured.logs) logs.set(name, lines);
    stopped ??= measured.stopped;
    if (stopped !== undefined && ![...documents.values()].some(({ cases }) => cases.length > 0)) throw stopped;
  }
  const benchmarks = chosen.flatMap(({ name }) => documents.get(name) ?? []);
  return { benchmarks, logs, stopped };
}

/**
 * @param {Benchmark} benchmark
 * @param {import('../cluster/types.js').Cluster} cluster one of ours stands for the stacks that will be started for trials,
 *   and those can be asked for with links
 * @param {RunOptions['trialParams']} trialParams
 * @returns {string[]} abilities that it needs and that are not to be had
 */
function missingFor({ needs, generator }, { can, ours, backend }, trialParams) {
  /** @type {string[]} */
  const wanted = [...needs];
  if (generator === 'trials') {
    wanted.push('configure');
    if (trialParams?.linkLatencyMs) wanted.push('slow-link');
  }
  const withLinks = generator === 'trials' && ours && backend === 'local' && LINKS_ARE_POSSIBLE;
  return [...new Set(wanted)].filter(
    (ability) => !can.has(/** @type {any} */ (ability)) && !(withLinks && LINK_ABILITIES.has(ability)),
  );
}

/**
 * @param {import('../cluster/types.js').Cluster} cluster
 * @param {string[]} missing
 */
function remedyFor({ backend, ours }, missing) {
  if (backend === 'external') {
    const commands = missing.every((ability) => NAMED_BY_COMMANDS.includes(ability));
    return `use --backend local or docker${commands ? ', or name the commands that do it with --act' : ''}.`;
  }
  if (!ours) return 'take it down with `sentinel-bench down`, and a run starts stacks of its own.';
  return backend === 'local' ? 'use --backend docker.' : 'use --backend local.';
}
