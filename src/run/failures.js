/**
 * The failure benchmarks of a run: every trial of all their cases, several side by side, each on a stack of its own.
 */

import { messageOf } from '../errors.js';
import { plural } from '../report/format.js';
import { electedNobody } from '../report/trials/timeline.js';
import { startCluster } from '../stacks/index.js';
import { LINK_ABILITIES } from '../stacks/redis/relay/relay.js';
import { shuffle } from '../stats/random.js';
import { summarise } from '../stats/summary.js';
import { abilitiesFor } from './abilities.js';
import { whyFailed } from './bench.js';
import { endLine, notMeasured } from './benchmark.js';
import { NotPutBack } from './interruption.js';
import { inLanes } from './lanes.js';
import { keepLogs } from './node-logs.js';
import { runTrial } from './trial.js';
import { courseTeller, trialPiece } from './trial-course.js';

/**
 * @import { UserError } from '../errors.js'
 * @import { BenchmarkResult, Finding } from '../result/schema.js'
 * @import { Cluster, ClusterOptions } from '../stacks/types.js'
 * @import { Estimate } from './estimate.js'
 * @import { Progress } from './progress.js'
 * @import { Bench } from './rounds.js'
 * @import { TrialOutcome } from './trial-document.js'
 * @import { Case, TrialBenchmark as Benchmark } from './types.js'
 */

/**
 * @typedef {Object} Planned a benchmark and its cases
 * @property {Benchmark} benchmark
 * @property {Case[]} cases
 *
 * @typedef {Object} FailureOptions
 * @property {Bench} bench its stack is used when it is not ours; else each trial starts one
 * @property {ClusterOptions} cluster how stacks are started
 * @property {number} [lanes] trials side by side, ≥ 1; default 1
 * @property {() => Promise<string>} [folder] the run's, made when first asked for
 * @property {unknown} [stopped] why nothing more is to be measured
 * @property {number} seed
 * @property {Progress} progress
 * @property {Estimate} estimate with what {@link planTrials} plans
 *
 * @typedef {Object} Task one trial
 * @property {Benchmark} benchmark
 * @property {Case} theCase
 * @property {number} round counted from 1
 */

/** Of a trial whose Sentinels elected nobody. */
const MOST_TIMES = 3;

/**
 * @param {readonly Planned[]} plan
 * @param {Bench} bench
 * @param {{lanes?: number}} options as for {@link measureFailures}
 * @param {Estimate} estimate gets them
 */
export function planTrials(plan, bench, options, estimate) {
  const sideBySide = sideBySideOf(plan, bench, options);
  for (const { benchmark, cases } of plan)
    estimate.plan(trialPiece(benchmark, sideBySide).piece, cases.length * bench.profile.trials);
}

/**
 * Somebody's stack is one, and what is done to it is done one at a time.
 *
 * @param {readonly Planned[]} plan
 * @param {Bench} bench
 * @param {{lanes?: number}} options
 * @returns {number} ≥ 1; no more than there are trials that do not run alone
 */
function sideBySideOf(plan, { cluster, profile }, { lanes = 1 }) {
  const trials = plan.reduce((sum, { benchmark, cases }) => sum + (benchmark.alone ? 0 : cases.length), 0);
  return cluster.ours ? Math.max(1, Math.min(lanes, trials * profile.trials)) : 1;
}

/**
 * @param {Planned[]} plan
 * @param {FailureOptions} options
 * @returns {Promise<{documents: Map<string, BenchmarkResult>, logs: Map<string, string[]>, stopped: unknown}>} `documents` by
 *   name, for each benchmark of the plan; `stopped` as in `Measured`, or why files of an audit are missing
 */
export async function measureFailures(
  plan,
  { bench, cluster, lanes, folder = noFolder, seed, progress, estimate, stopped: ended },
) {
  const { profile, random, signal } = bench;
  const tasks = tasksOf(plan, profile.trials, random);
  const sideBySide = sideBySideOf(plan, bench, { lanes });
  const free = Array.from({ length: sideBySide }, (_, index) => index + 1);
  const size = `${plural(tasks.length, 'trial')} of ${plural(plan.length, 'failure benchmark')}`;
  progress.tell(`${size}, ${sideBySide === 1 ? 'one' : sideBySide} at a time, ${estimate.left()}`);
  progress.benchmark?.(size);
  const left = new Map(plan.map(({ benchmark, cases }) => [benchmark.name, cases.length * profile.trials]));

  /** @type {Map<string, TrialOutcome[]>} */
  const outcomes = new Map();
  /** @type {Map<string, string[]>} benchmark → what went wrong */
  const failures = new Map();
  /** @type {Map<string, string[]>} */
  const logs = new Map();
  let stopped = ended;
  /** @type {UserError | undefined} the first file of an audit that could not be written */
  let lost;
  let done = 0;
  /** @type {Map<string, string[]>} benchmark → trials that were made again */
  const repeated = new Map();
  /** @type {Map<string, BenchmarkResult>} of benchmarks whose trials have all been made */
  const documents = new Map();

  /** @param {Planned} planned */
  const makeDocument = ({ benchmark, cases }) =>
    documentOf(benchmark, cases, {
      outcomes,
      reasons: failures.get(benchmark.name) ?? [],
      repeated: repeated.get(benchmark.name) ?? [],
      trials: profile.trials,
      seed,
    });

  /** @param {Benchmark} benchmark that ended a trial */
  function tellEnd({ name }) {
    progress.benchmark?.(`${done} of ${size} done`);
    const planned = plan.find(({ benchmark }) => benchmark.name === name);
    left.set(name, (left.get(name) ?? 0) - 1);
    if (left.get(name) !== 0 || !planned) return;
    const document = makeDocument(planned);
    documents.set(name, document);
    const line = endLine(document);
    if (line !== null) progress.tell(line);
  }

  /** @param {UserError} error */
  function notKept(error) {
    if (lost === undefined) progress.tell(`${error.message} ${error.remedy}`);
    lost ??= error;
  }

  /** @param {Task} task */
  async function attempt(task) {
    const lane = /** @type {number} */ (free.shift());
    try {
      for (let time = 1; (await tryOnce(task, time, lane)) === 'again'; time++);
    } finally {
      free.unshift(lane);
      progress.happens?.(lane, null);
    }
    done++;
    tellEnd(task.benchmark);
  }

  /**
   * @param {Task} task
   * @param {number} time
   * @param {number} lane that it is in, counted from 1
   * @returns {Promise<'done' | 'again'>}
   */
  async function tryOnce({ benchmark, theCase, round }, time, lane) {
    signal.throwIfAborted();
    const name = `${benchmark.name}.${theCase.id}`;
    const course = courseTeller(progress, lane, name);
    const { piece, lanes } = trialPiece(benchmark, sideBySide);
    const trialEnds = estimate.begin(piece, lanes);
    course.says('starting');
    /** @type {Cluster | undefined} */
    let stack;
    try {
      stack = bench.cluster.ours
        ? await startCluster({
            ...cluster,
            backend: startable(bench.cluster),
            links: abilitiesFor(benchmark, theCase.params).some((ability) => LINK_ABILITIES.includes(ability)),
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
        notKept,
        commands: cluster.commands,
        course,
        signal,
      });
      // On a stack that stays the Sentinels would not try again for minutes.
      if (stack.ours && benchmark.needsFailover && electedNobody(outcome.trial) && time < MOST_TIMES) {
        repeated.set(benchmark.name, [...(repeated.get(benchmark.name) ?? []), theCase.id]);
        progress.tell(`${name}: the Sentinels elected nobody; once more`);
        estimate.plan(piece);
        return 'again';
      }
      outcomes.set(name, [...(outcomes.get(name) ?? []), outcome]);
      progress.tell(`${name}: ${outcome.inShort}`);
    } catch (error) {
      if (signal.aborted || error instanceof NotPutBack) throw error;
      const why = stack ? await whyFailed(error, stack) : messageOf(error);
      progress.tell(`${name}: failed. ${why}`);
      failures.set(benchmark.name, [...(failures.get(benchmark.name) ?? []), `${theCase.id}: ${why}`]);
      if (stack) await keepLogs(stack, name, logs);
    } finally {
      if (stack?.ours) await stack.down();
      trialEnds();
    }
    return 'done';
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
  for (const planned of plan) {
    const { name } = planned.benchmark;
    if (!documents.has(name)) documents.set(name, makeDocument(planned));
    estimate.drop(name);
  }
  return { documents, logs, stopped: stopped ?? lost };
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
 * @param {Pick<Cluster, 'backend'>} cluster of ours
 * @returns {'docker' | 'local'} how another stack of its kind is started
 */
export function startable({ backend }) {
  if (backend === 'external') throw new Error('nobody starts somebody else’s deployment');
  return backend;
}

/**
 * @param {Benchmark} benchmark
 * @param {Case[]} cases
 * @param {{outcomes: Map<string, TrialOutcome[]>, reasons: string[], repeated: string[], trials: number, seed: number}} measured
 * @returns {BenchmarkResult}
 */
function documentOf(benchmark, cases, { outcomes, reasons, repeated, trials, seed }) {
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
  document.cases = measured.map(({ theCase: { id }, own }) => {
    const rounds = own.map(({ result }) => result);
    return { id, params: own[0].params, rounds, summary: summarise(rounds, null, { seed }) };
  });
  document.audit = measured.flatMap(({ own }) => own.flatMap(({ audits }) => audits));
  document.timeline = measured.flatMap(({ own }) => own.map(({ trial }) => trial));
  document.checks = benchmark.checks(document);
  document.findings = benchmark.findings(document, {});
  if (repeated.length > 0) document.findings.push(repeatedFinding(repeated));
  return document;
}

/**
 * @param {string[]} cases of which a trial was made again
 * @returns {Finding}
 */
function repeatedFinding(cases) {
  const text =
    `${plural(cases.length, 'trial')} (${cases.join(', ')}) had to be made again: several Sentinels tried at the same moment and none was ` +
    'elected, so that nobody could be promoted until they try again, after twice their failover-timeout';
  return { text, evidence: [...new Set(cases)] };
}
