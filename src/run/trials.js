/**
 * The failure benchmarks of a run: every trial of all their cases, several side by side, each on a stack of its own.
 */

import pLimit from 'p-limit';
import { removeWriter } from '../audit/files.js';
import { removeHistories } from '../audit/histories.js';
import { electedNobody, isPromotionDue, sawFailover } from '../audit/judgement.js';
import { messageOf } from '../errors.js';
import { settingsForBlocking } from '../faults/blocking-command.js';
import { count, oneFinding, plural } from '../format.js';
import { startStack } from '../stacks/index.js';
import { LINK_ABILITIES } from '../stacks/relay/relay.js';
import { shuffle } from '../stats/random.js';
import { addCounts, sum } from '../stats/statistics.js';
import { summarise } from '../stats/summary.js';
import { abilitiesFor } from './abilities.js';
import { benchmarkDocument, endLine, reportFailure } from './document.js';
import { NotPutBack } from './interruption.js';
import { programFor, startable } from './own-stacks.js';
import { timelineTeller, trialPiece } from './progress.js';
import { whyRemoved } from './removals.js';
import { NotBegun, runTrial } from './trial.js';
import { keptTimelines } from './trial-document.js';

/**
 * @import { UserError } from '../errors.js'
 * @import { BenchmarkResult, Finding, Result } from '../result/schema.js'
 * @import { Stack, StackOptions } from '../stacks/types.js'
 * @import { Estimate } from './estimate.js'
 * @import { Progress } from './progress.js'
 * @import { Testbed } from './rounds.js'
 * @import { TrialOutcome } from './trial-document.js'
 * @import { SuiteParameters, Case, TrialBenchmark as Benchmark } from './types.js'
 */

/**
 * @typedef {Object} Planned
 * @property {Benchmark} benchmark
 * @property {Case[]} cases
 *
 * @typedef {Object} FailureOptions
 * @property {Testbed} testbed a stack that is not ours is used for all trials; else each trial starts one
 * @property {StackOptions} stack how stacks are started
 * @property {number} [lanes] trials side by side, ≥ 1; default 1
 * @property {SuiteParameters} [parameters] what the user asks of the benchmarks of a suite
 * @property {() => Promise<string>} [folder] of the run, made when first asked for
 * @property {unknown} [stopped] why nothing more may be measured
 * @property {number} seed
 * @property {Progress} progress
 * @property {Estimate} estimate with the trials that {@link planTrials} planned
 *
 * @typedef {Object} Task one trial
 * @property {Benchmark} benchmark
 * @property {Case} theCase
 * @property {number} round counted from 1
 */

/** A trial without the promotion that it needs is run this often at most. */
const MOST_TIMES = 3;
/** One whose writers did not begin, because a busy machine or another program ended one of them. */
const MOST_BEGINNINGS = 3;
/** What a node can do that has a disk of its own. @type {readonly string[]} */
export const OF_DISKS = ['power-loss', 'fill'];

/**
 * @param {Pick<Benchmark, 'disks'>} benchmark
 * @param {readonly string[]} abilities that it needs
 * @param {readonly {id: string, kind: string}[]} nodes of the stack
 * @returns {string[]} ids of the nodes that get a disk of their own
 */
export function disksFor({ disks }, abilities, nodes) {
  if (!abilities.some((ability) => OF_DISKS.includes(ability))) return [];
  // A new stack begins with its first node as the primary.
  return disks === 'all' ? nodes.filter(({ kind }) => kind !== 'sentinel').map(({ id }) => id) : [nodes[0].id];
}

/**
 * @param {readonly Planned[]} plan
 * @param {Testbed} testbed
 * @param {{lanes?: number}} options as for {@link measureFailures}
 * @param {Estimate} estimate gets the trials
 */
export function planTrials(plan, testbed, options, estimate) {
  for (const { benchmark, cases } of plan)
    estimate.plan(
      trialPiece(benchmark, lanesOf(benchmark, plan, testbed, options)),
      cases.length * testbed.profile.trials,
    );
}

/**
 * A stack that is not ours exists once, so its trials run one at a time.
 *
 * @param {Benchmark} benchmark
 * @param {readonly Planned[]} plan
 * @param {Testbed} testbed
 * @param {{lanes?: number}} options
 * @returns {number} ≥ 1: trials side by side while this benchmark is measured; at most the number of trials that run with as many lanes
 */
export function lanesOf(benchmark, plan, { stack, profile }, { lanes = 1 }) {
  if (!stack.about.ours) return 1;
  const most = (/** @type {Benchmark} */ each) => Math.min(lanes, each.mostLanes?.(profile) ?? lanes);
  const mostHere = most(benchmark);
  const alike = plan.filter((each) => most(each.benchmark) === mostHere);
  return Math.max(1, Math.min(mostHere, sum(alike.map(({ cases }) => cases.length)) * profile.trials));
}

/**
 * @param {Planned[]} plan
 * @param {FailureOptions} options
 * @returns {Promise<{documents: Map<string, BenchmarkResult>, logs: Map<string, string[]>, trials: NonNullable<Result['trials']>,
 *   stopped: unknown}>} `documents` by the name of each benchmark; trials: how they were run; `stopped` as in `Measured`, or why files
 *   of an audit are missing
 */
export async function measureFailures(
  plan,
  { testbed, stack, lanes, parameters, folder = noFolder, seed, progress, estimate, stopped: ended },
) {
  const { profile, random, signal, agentsTrials, repeatable = agentsTrials?.repeatable } = testbed;
  const tasks = tasksOf(plan, profile.trials, random);
  const lanesFor = (/** @type {Benchmark} */ benchmark) => lanesOf(benchmark, plan, testbed, { lanes });
  const sideBySide = Math.max(1, ...plan.map(({ benchmark }) => lanesFor(benchmark)));
  const free = Array.from({ length: sideBySide }, (_, index) => index + 1);
  const size = `${plural(tasks.length, 'trial')} of ${plural(plan.length, 'failure benchmark')}`;
  progress.tell(`${size}, ${sideBySide === 1 ? 'one' : sideBySide} at a time, ${estimate.left()}`);
  progress.benchmark?.(size);
  const left = new Map(plan.map(({ benchmark, cases }) => [benchmark.name, cases.length * profile.trials]));

  /** @type {Map<string, TrialOutcome[]>} */
  const outcomes = new Map();
  /** @type {Map<string, string[]>} benchmark → reasons */
  const failures = new Map();
  /** @type {Map<string, string[]>} */
  const logs = new Map();
  let stopped = ended;
  /** @type {UserError | undefined} the first file of an audit that could not be written */
  let lost;
  let done = 0;
  /** @type {Map<string, string[]>} benchmark → cases, each as often as a trial of it was repeated */
  const repeated = new Map();
  const beganAt = performance.now();
  const pace = () => ({
    lanes: sideBySide,
    done,
    repeated: [...repeated.values()].flat().length,
    seconds: (performance.now() - beganAt) / 1000,
  });
  /** @type {Map<string, BenchmarkResult>} of benchmarks whose trials have all ended */
  const documents = new Map();

  /** @param {Planned} planned */
  const makeDocument = ({ benchmark, cases }) =>
    documentOf(benchmark, cases, {
      outcomes,
      reasons: failures.get(benchmark.name) ?? [],
      repeated: repeated.get(benchmark.name) ?? [],
      trials: profile.trials,
      seed,
      server: testbed.stack.about.server,
      parameters,
    });

  /** @param {Benchmark} benchmark one of whose trials has ended */
  function tellEnd({ name }) {
    progress.benchmark?.(`${done} of ${size} done, ${count(trialsAnHour(pace()))} an hour`);
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
   * @param {number} lane counted from 1
   * @returns {Promise<'done' | 'again'>}
   */
  async function tryOnce({ benchmark, theCase, round }, time, lane) {
    signal.throwIfAborted();
    const name = `${benchmark.name}.${theCase.id}`;
    const timeline = timelineTeller(progress, lane, name);
    const piece = trialPiece(benchmark, lanesFor(benchmark));
    const trialEnds = estimate.begin(piece, lanesFor(benchmark));
    timeline.says('starting');
    /** @type {Stack | undefined} */
    let trialStack;
    const abilities = abilitiesFor(benchmark, theCase.params);
    /** @param {string} why @returns {'again'} */
    const again = (why) => {
      repeated.set(benchmark.name, [...(repeated.get(benchmark.name) ?? []), theCase.id]);
      progress.tell(`${name}: ${why}; the trial is repeated and not counted`);
      estimate.plan(piece);
      return 'again';
    };
    try {
      const backend = testbed.stack.about.ours ? startable(testbed.stack) : null;
      trialStack = backend
        ? await startStack({
            ...stack,
            ...programFor(theCase.params, stack),
            backend,
            // Docker's own networks cut links.
            links: backend === 'local' && !stack.hosts && abilities.some((ability) => LINK_ABILITIES.includes(ability)),
            network: abilities.includes('group-partition'),
            ...(abilities.includes('virtual-address') && { hosts: true, virtualAddress: true }),
            replicas: theCase.params.replicas ?? stack.replicas,
            sentinelCount: theCase.params.sentinels ?? stack.sentinelCount,
            volatileDisks: disksFor(benchmark, abilities, testbed.stack.nodes),
            ...(abilities.includes('blocking-command') && {
              settings: { ...settingsForBlocking(testbed.stack.about.server), ...stack.settings },
            }),
            signal,
          })
        : testbed.startOnAgents
          ? await testbed.startOnAgents({
              replicas: theCase.params.replicas ?? stack.replicas,
              sentinelCount: theCase.params.sentinels ?? stack.sentinelCount,
              placement: theCase.params.placement,
              disk: abilities.some((ability) => OF_DISKS.includes(ability)),
            })
          : testbed.stack;
      const outcome = await runTrial({
        stack: trialStack,
        benchmark,
        theCase,
        round,
        profile,
        folder: await folder(),
        notKept,
        commands: stack.commands,
        timeline,
        agentsTrials,
        signal,
      });
      const why = whyNotCounted(benchmark, theCase.params, outcome.trial);
      if (why !== null) {
        for (const { writer } of outcome.audits)
          await removeWriter(await folder(), { benchmark: benchmark.name, case: theCase.id, round, writer });
        await removeHistories(await folder(), { benchmark: benchmark.name, case: theCase.id, round });
        // On a stack that stays, the Sentinels wait for minutes before they try again.
        if (trialStack === testbed.stack || time === MOST_TIMES)
          throw new Error(
            await whyInFull(
              `${why}${time === 1 ? '' : ` in ${time} tries`}; the trial is not counted.`,
              trialStack,
              outcome,
            ),
          );
        return again(why);
      }
      outcomes.set(name, [...(outcomes.get(name) ?? []), outcome]);
      progress.tell(`${name}: ${outcome.inShort}`);
    } catch (error) {
      if (signal.aborted || error instanceof NotPutBack) throw error;
      const agentBack = time < MOST_TIMES ? repeatable?.(error) : null;
      if (agentBack) {
        progress.tell(`${name}: ${messageOf(error)} The trial is invalid; it is repeated when the agent is back.`);
        await agentBack(signal);
        return again(messageOf(error).replace(/\.$/, ''));
      }
      if (error instanceof NotBegun && time < MOST_BEGINNINGS) return again(error.message.replace(/\.$/, ''));
      const why = await reportFailure(error, { name, stack: trialStack, progress, logs });
      failures.set(benchmark.name, [...(failures.get(benchmark.name) ?? []), `${theCase.id}: ${why}`]);
    } finally {
      if (trialStack?.about.ours) await trialStack.down();
      else if (trialStack !== testbed.stack) await trialStack?.close();
      trialEnds();
    }
    return 'done';
  }

  try {
    agentsTrials?.note(await folder());
    // The stack that the run began with was described. Left up, it would only keep the machine busy.
    if (testbed.stack.about.ours) await testbed.stack.down();
    else if (testbed.startOnAgents) await leave(testbed);
    if (stopped === undefined) {
      const numbers = [...new Set(plan.map(({ benchmark }) => lanesFor(benchmark)))].sort((a, b) => b - a);
      for (const number of numbers) {
        const laneTasks = tasks.filter(({ benchmark }) => lanesFor(benchmark) === number);
        await inLanes(laneTasks, number, attempt);
      }
    }
  } catch (error) {
    stopped = error;
  }
  for (const planned of plan) {
    const { name } = planned.benchmark;
    if (!documents.has(name)) documents.set(name, makeDocument(planned));
    estimate.drop(name);
  }
  const trials = pace();
  if (done > 0)
    progress.tell(`${plural(done, 'trial')}, ${sideBySide} at a time: ${count(trialsAnHour(trials))} an hour`);
  return { documents, logs, trials, stopped: stopped ?? lost };
}

/**
 * @param {Testbed} testbed whose nodes agents will end
 */
async function leave({ stack, tuning }) {
  await tuning.back();
  await stack.close();
}

/**
 * @param {Pick<Benchmark, 'needsFailover' | 'beforeFailover' | 'whyNoEffect'>} benchmark
 * @param {Case['params']} params of the case
 * @param {Pick<TrialOutcome['trial'], 'events' | 'removed'>} trial
 * @returns {string | null} why the trial shows nothing; null: it counts
 */
export function whyNotCounted({ needsFailover, beforeFailover, whyNoEffect }, params, trial) {
  const why = whyRemoved(trial.removed) ?? whyNoEffect?.(trial, params) ?? null;
  if (why !== null) return why;
  const holds = (/** @type {Benchmark['needsFailover']} */ rule = false) =>
    typeof rule === 'function' ? rule(params) : rule;
  if (sawFailover(trial)) {
    return holds(beforeFailover) ? 'A replica was promoted before the primary was back' : null;
  }
  if (!holds(needsFailover) || !isPromotionDue(trial)) return null;
  return electedNobody(trial) ? 'The Sentinels elected nobody' : 'No replica was promoted';
}

/**
 * @param {string} why a trial is not counted, a sentence
 * @param {Stack} stack that still runs
 * @param {TrialOutcome} outcome
 * @returns {Promise<string>} with what its nodes know about it
 */
async function whyInFull(why, stack, { trial, result }) {
  if (sawFailover(trial)) return why;
  const seconds = Math.ceil((Date.now() - Date.parse(result.startedAt)) / 1000);
  const causes = (await stack.database.failover.whyNone?.(stack, { events: trial.events, seconds })) ?? [];
  return [why, ...causes].join(' ');
}

/**
 * @param {Pick<NonNullable<Result['trials']>, 'done' | 'seconds'>} trials
 * @returns {number} whole; 0 before the first has ended
 */
function trialsAnHour({ done, seconds }) {
  return seconds > 0 ? Math.round((done * 3600) / seconds) : 0;
}

/** @returns {Promise<string>} */
async function noFolder() {
  throw new Error('a failure benchmark needs a folder for its ledgers');
}

/**
 * @param {Planned[]} plan
 * @param {number} trials
 * @param {() => number} random
 * @returns {Task[]} the trials of all cases in random order, round by round
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
 * @param {Benchmark} benchmark
 * @param {Case[]} cases
 * @param {{outcomes: Map<string, TrialOutcome[]>, reasons: string[], repeated: string[], trials: number,
 *   seed: number, server: Stack['about']['server'], parameters?: SuiteParameters}} measured
 * @returns {BenchmarkResult}
 */
function documentOf(benchmark, cases, { outcomes, reasons, repeated, trials, seed, server, parameters }) {
  const stepsCount = !benchmark.needsFailover;
  const done = cases.map((theCase) => ({
    theCase,
    caseOutcomes: (outcomes.get(`${benchmark.name}.${theCase.id}`) ?? []).sort((a, b) => a.trial.round - b.trial.round),
  }));
  const measured = done.filter(({ caseOutcomes }) => caseOutcomes.length > 0);
  const document = benchmarkDocument(benchmark, {
    ...statusOf(
      reasons,
      done.some(({ caseOutcomes }) => caseOutcomes.length < trials),
    ),
    cases: measured.map(({ theCase: { id }, caseOutcomes }) => {
      const rounds = caseOutcomes.map(({ result }) => result);
      return { id, params: caseOutcomes[0].params, rounds, summary: summarise(rounds, null, { seed }) };
    }),
    server,
    parameters,
    ...(measured.length > 0 && {
      audit: measured.flatMap(({ caseOutcomes }) => caseOutcomes.flatMap(({ audits }) => audits)),
      timeline: measured.flatMap(({ caseOutcomes }) => keptTimelines(caseOutcomes, { stepsCount })),
    }),
  });
  if (measured.length > 0 && repeated.length > 0) document.findings.push(repeatedFinding(repeated));
  return document;
}

/**
 * @param {readonly string[]} reasons why trials failed
 * @param {boolean} missing trials were not made
 * @returns {Pick<BenchmarkResult, 'status' | 'reason'>}
 */
function statusOf(reasons, missing) {
  if (reasons.length > 0) return { status: 'failed', reason: countedReasons(reasons) };
  if (missing) return { status: 'skipped', reason: 'The run was interrupted; start it again to measure this.' };
  return { status: 'ok' };
}

/**
 * @param {readonly string[]} reasons
 * @returns {string} each once
 */
function countedReasons(reasons) {
  const times = addCounts(...reasons.map((reason) => ({ [reason]: 1 })));
  return Object.entries(times)
    .map(([reason, count]) => (count === 1 ? reason : `${reason} (${count} times)`))
    .join(' ');
}

/**
 * @param {string[]} cases each as often as a trial of it was repeated
 * @returns {Finding}
 */
function repeatedFinding(cases) {
  const evidence = [...new Set(cases)];
  const text = oneFinding(
    `${plural(cases.length, 'trial')} repeated, not counted, as the failure took another course or a client did not start: `,
    evidence,
  );
  return { id: 'repeated', text, evidence };
}

/**
 * Runs tasks in several lanes side by side.
 */

/**
 * @template T
 * @param {readonly T[]} tasks begun in this order
 * @param {number} lanes tasks under way at once, ≥ 1
 * @param {(task: T) => Promise<void>} work a rejection stops all lanes, each after the task that it has under way
 */
export async function inLanes(tasks, lanes, work) {
  const limit = pLimit(lanes);
  let failed = false;
  const outcomes = await Promise.allSettled(
    tasks.map((task) =>
      limit(async () => {
        if (failed) return;
        try {
          await work(task);
        } catch (error) {
          failed = true;
          throw error;
        }
      }),
    ),
  );
  const rejected = outcomes.find((outcome) => outcome.status === 'rejected');
  if (rejected) throw rejected.reason;
}
