/**
 * The failure benchmarks of a run: every trial of all their cases, several side by side, each on a stack of its own.
 */
import { startCluster } from '../cluster/index.js';
import { shuffle } from '../measure/random.js';
import { summarise } from '../measure/summary.js';
import { plural } from '../report/format.js';
import { messageOf, whyFailed } from './bench.js';
import { notMeasured } from './benchmark.js';
import { NotPutBack } from './interruption.js';
import { inLanes } from './lanes.js';
import { keepLogs } from './node-logs.js';
import { createEstimate } from './progress.js';
import { runTrial } from './trial.js';

/**
 * @typedef {import('./types.js').Benchmark} Benchmark
 * @typedef {import('./types.js').Case} Case
 * @typedef {import('../cluster/types.js').Cluster} Cluster
 * @typedef {import('../report/schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./trial-document.js').TrialOutcome} TrialOutcome
 *
 * @typedef {Object} Planned a benchmark and its cases
 * @property {Benchmark} benchmark
 * @property {Case[]} cases
 *
 * @typedef {Object} FailureOptions
 * @property {import('./rounds.js').Bench} bench its stack is used when it is not ours; else each trial starts one
 * @property {import('../cluster/types.js').ClusterOptions} cluster how stacks are started
 * @property {number} [lanes] trials side by side, ≥ 1; default 1
 * @property {() => Promise<string>} [folder] the run's, made when first asked for
 * @property {unknown} [stopped] why nothing more is to be measured
 * @property {number} seed
 * @property {import('./progress.js').Progress} progress
 *
 * @typedef {Object} Task one trial
 * @property {Benchmark} benchmark
 * @property {Case} theCase
 * @property {number} round counted from 1
 */

/** What a trial takes, roughly; only for the first estimate. */
const TRIAL_SECONDS = 18;

/**
 * @param {Planned[]} plan
 * @param {FailureOptions} options
 * @returns {Promise<{documents: Map<string, BenchmarkResult>, logs: Map<string, string[]>, stopped: unknown}>} `documents` by
 *   name, for each benchmark of the plan; `stopped` as in `Measured`
 */
export async function measureFailures(
  plan,
  { bench, cluster, lanes = 1, folder = noFolder, seed, progress, stopped: ended },
) {
  const { profile, random, signal } = bench;
  const tasks = tasksOf(plan, profile.trials, random);
  // Somebody's stack is one, and what is done to it is done one at a time.
  const sideBySide = bench.cluster.ours ? lanes : 1;
  const estimate = createEstimate(tasks.length, TRIAL_SECONDS / sideBySide);
  progress.tell(
    `${plural(tasks.length, 'trial')} of ${plural(plan.length, 'failure benchmark')}, ${sideBySide === 1 ? 'one' : sideBySide} at a time`,
  );

  /** @type {Map<string, TrialOutcome[]>} */
  const outcomes = new Map();
  /** @type {Map<string, string[]>} benchmark → what went wrong */
  const failures = new Map();
  /** @type {Map<string, string[]>} */
  const logs = new Map();
  let stopped = ended;
  let done = 0;

  /** @param {Task} task */
  async function attempt({ benchmark, theCase, round }) {
    signal.throwIfAborted();
    const name = `${benchmark.name}.${theCase.id}`;
    progress.now(`${done} of ${tasks.length} trials done, ${name} begins, ${estimate.left()}`);
    estimate.roundBegins();
    /** @type {Cluster | undefined} */
    let stack;
    try {
      stack = bench.cluster.ours
        ? await startCluster({
            ...cluster,
            backend: startable(bench.cluster),
            links: needsLinks(benchmark, theCase),
            signal,
          })
        : bench.cluster;
      const outcome = await runTrial({
        cluster: stack,
        benchmark,
        theCase,
        round,
        profile,
        folder: await folder(),
        commands: cluster.commands,
        signal,
      });
      outcomes.set(name, [...(outcomes.get(name) ?? []), outcome]);
      progress.tell(`${name}: ${outcome.inShort}`);
    } catch (error) {
      if (signal.aborted || error instanceof NotPutBack) throw error;
      const why = stack ? await whyFailed(error, stack) : messageOf(error);
      progress.tell(`${name}: failed. ${why}`);
      failures.set(benchmark.name, [...(failures.get(benchmark.name) ?? []), `${theCase.id}: ${why}`]);
      if (stack) await keepLogs(stack, name, logs);
    } finally {
      done++;
      if (stack?.ours) await stack.down();
    }
  }

  try {
    // The stack that the run began with has told what it is; it would only keep the machine busy.
    if (bench.cluster.ours) await bench.cluster.down();
    if (stopped === undefined) {
      const [alone, others] = [true, false].map((which) =>
        tasks.filter(({ benchmark }) => (benchmark.alone ?? false) === which),
      );
      await inLanes(others, sideBySide, attempt);
      await inLanes(alone, 1, attempt);
    }
  } catch (error) {
    stopped = error;
  }
  const documents = new Map(
    plan.map(({ benchmark, cases }) => [
      benchmark.name,
      documentOf(benchmark, cases, {
        outcomes,
        reasons: failures.get(benchmark.name) ?? [],
        trials: profile.trials,
        seed,
      }),
    ]),
  );
  return { documents, logs, stopped };
}

/** @returns {Promise<string>} */
async function noFolder() {
  throw new Error('a failure benchmark keeps its ledgers in the folder of its run, and there is none');
}

/**
 * @param {Planned[]} plan
 * @param {number} trials
 * @param {() => number} random
 * @returns {Task[]} the trials of all cases mixed, round by round
 */
function tasksOf(plan, trials, random) {
  return Array.from({ length: trials }, (_, index) =>
    shuffle(
      plan.flatMap(({ benchmark, cases }) => cases.map((theCase) => ({ benchmark, theCase, round: index + 1 }))),
      random,
    ),
  ).flat();
}

/**
 * @param {Cluster} cluster of ours
 * @returns {'docker' | 'local'}
 */
function startable({ backend }) {
  if (backend === 'external') throw new Error('nobody starts somebody else’s deployment');
  return backend;
}

/**
 * @param {Benchmark} benchmark
 * @param {Case} theCase
 * @returns {boolean} whether the nodes' links with each other have to be in our hands
 */
function needsLinks({ needs }, { params }) {
  return needs.includes('cut') || needs.includes('slow-link') || Boolean(params.linkLatencyMs);
}

/**
 * @param {Benchmark} benchmark
 * @param {Case[]} cases
 * @param {{outcomes: Map<string, TrialOutcome[]>, reasons: string[], trials: number, seed: number}} measured
 * @returns {BenchmarkResult}
 */
function documentOf(benchmark, cases, { outcomes, reasons, trials, seed }) {
  const done = cases.map((theCase) => ({
    theCase,
    own: (outcomes.get(`${benchmark.name}.${theCase.id}`) ?? []).sort((a, b) => a.trial.round - b.trial.round),
  }));
  const missing = done.some(({ own }) => own.length < trials);
  const document =
    reasons.length > 0
      ? notMeasured(benchmark, 'failed', reasons.join(' '))
      : missing
        ? notMeasured(benchmark, 'skipped', 'The run was interrupted meanwhile; start it again to measure.')
        : notMeasured(benchmark, 'ok');
  const measured = done.filter(({ own }) => own.length > 0);
  if (measured.length === 0) return document;
  document.cases = measured.map(({ theCase: { id, params }, own }) => {
    const rounds = own.map(({ result }) => result);
    return { id, params: own[0].params ?? params, rounds, summary: summarise(rounds, null, { seed }) };
  });
  document.audit = measured.flatMap(({ own }) => own.flatMap(({ audits }) => audits));
  document.timeline = measured.flatMap(({ own }) => own.map(({ trial }) => trial));
  document.checks = benchmark.checks(document);
  document.findings = benchmark.findings(document, {});
  return document;
}
