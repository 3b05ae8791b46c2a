/**
 * The failure benchmarks of a run: every trial of all their cases, several side by side, each on a stack of its own.
 * @import { UserError } from '../errors.js'
 * @import { BenchmarkResult, Finding } from '../result/schema.js'
 * @import { Stack } from '../stacks/types.js'
 * @import { Run } from './suite.js'
 * @import { TrialOutcome } from './trial-document.js'
 * @import { Case, TrialBenchmark as Benchmark } from './types.js'
 * @typedef {{benchmark: Benchmark, cases: Case[]}} Planned
 * @typedef {Pick<Run, 'testbed' | 'stack' | 'lanes' | 'parameters' | 'seed' | 'folder' | 'progress' | 'estimate'> &
 *   Pick<Run, 'documents' | 'logs' | 'trials' | 'stopped'>} TrialsRun
 * @typedef {Object} Progressed what became of the trials of a benchmark so far
 * @property {number} lanes trials side by side, ≥ 1 @property {number} left trials that have not ended
 * @property {TrialOutcome[]} outcomes @property {string[]} reasons why trials failed
 * @property {string[]} repeated cases, each as often as a trial of it was repeated
 * @property {BenchmarkResult} [document] once all have ended
 * @typedef {Planned & Progressed} BenchmarkTrials
 * @typedef {{of: BenchmarkTrials, benchmark: Benchmark, theCase: Case, round: number}} TrialTask one trial; round: counted from 1
 */
import { removeWriter } from '../audit/files.js';
import { removeHistories } from '../audit/histories.js';
import { electedNobody, isPromotionDue, sawFailover } from '../audit/judgement.js';
import { messageOf, reasonOf } from '../errors.js';
import { count, oneFinding, plural } from '../format.js';
import { shuffle } from '../stats/random.js';
import { addCounts, sum } from '../stats/statistics.js';
import { summarise } from '../stats/summary.js';
import { benchmarkDocument, reportFailure, tellEnd } from './document.js';
import { NotPutBack } from './interruption.js';
import { inLanes, lanesOf, trialPiece } from './lanes.js';
import { endTrialStack, openTrialStack } from './own-stacks.js';
import { whyRemoved } from './removals.js';
import { SENTENCES } from './sentences.js';
import { NotBegun, runTrial, trialName } from './trial.js';
import { keptTimelines } from './trial-document.js';

/** A trial without the promotion that it needs, or whose writers did not begin on a busy machine, is run this often at most. */
const MOST_TIMES = 3;

/** @param {Planned[]} plan @param {TrialsRun} run gets the documents, the last lines of logs, how trials were run, and what stopped them */
export async function measureFailures(plan, run) {
  await new Trials(plan, run).measure();
  return run;
}

class Trials {
  #run;
  #folder;
  /** @type {BenchmarkTrials[]} */
  #benchmarks;
  #size;
  #lanes;
  /** The first file of an audit that could not be written. @type {UserError | undefined} */
  #lost;
  #done = 0;
  #beganAt = performance.now();

  /** @param {Planned[]} plan @param {TrialsRun} run */
  constructor(plan, run) {
    if (!run.folder) throw new Error('a failure benchmark needs a folder for its ledgers');
    this.#run = run;
    this.#folder = run.folder;
    this.#benchmarks = plan.map((planned) => ({
      ...planned,
      lanes: lanesOf(planned.benchmark, plan, run.testbed, run),
      left: planned.cases.length * run.testbed.profile.trials,
      ...{ outcomes: [], reasons: [], repeated: [] },
    }));
    const all = sum(this.#benchmarks.map(({ left }) => left));
    this.#size = `${plural(all, 'trial')} of ${plural(plan.length, 'failure benchmark')}`;
    this.#lanes = Math.max(1, ...this.#benchmarks.map(({ lanes }) => lanes));
  }

  async measure() {
    const { progress, estimate, documents } = this.#run;
    progress.tell(`${this.#size}, ${this.#lanes === 1 ? 'one' : this.#lanes} at a time, ${estimate.left()}`);
    progress.benchmark?.(this.#size);
    try {
      await this.#begin();
      if (this.#run.stopped === undefined) await this.#runAll();
    } catch (error) {
      this.#run.stopped ??= error;
    }
    for (const of of this.#benchmarks) {
      documents.set(of.benchmark.name, of.document ?? documentOf(of, this.#run));
      estimate.drop(of.benchmark.name);
    }
    if (this.#done > 0)
      progress.tell(`${plural(this.#done, 'trial')}, ${this.#lanes} at a time: ${this.#anHour()} an hour`);
    this.#run.stopped ??= this.#lost;
    const repeated = sum(this.#benchmarks.map((of) => of.repeated.length));
    this.#run.trials = { lanes: this.#lanes, done: this.#done, repeated, seconds: this.#seconds() };
  }

  async #begin() {
    const { testbed } = this.#run;
    testbed.agents?.trials?.note(await this.#folder());
    // The stack that the run began with was described. Left up, it would only keep the machine busy.
    if (testbed.stack.about.ours) await testbed.stack.down();
    else if (testbed.startOnAgents) {
      await testbed.tuning.back();
      // Agents will end its nodes.
      await testbed.stack.close();
    }
  }

  async #runAll() {
    const { profile, random } = this.#run.testbed;
    const tasks = tasksOf(this.#benchmarks, profile.trials, random);
    const numbers = [...new Set(this.#benchmarks.map(({ lanes }) => lanes))].sort((a, b) => b - a);
    for (const number of numbers) {
      const alike = tasks.filter(({ of }) => of.lanes === number);
      await inLanes(alike, number, (task) => this.#attempt(task));
    }
  }

  #seconds() {
    return (performance.now() - this.#beganAt) / 1000;
  }

  /** Trials an hour so far. */
  #anHour() {
    return count(Math.round((this.#done * 3600) / this.#seconds()));
  }

  /** @param {TrialTask} task */
  async #attempt(task) {
    const { of } = task;
    const { progress } = this.#run;
    for (let time = 1; (await this.#tryOnce(task, time)) === 'again'; time++);
    this.#done++;
    progress.benchmark?.(`${this.#done} of ${this.#size} done, ${this.#anHour()} an hour`);
    of.left--;
    if (of.left > 0) return;
    of.document = documentOf(of, this.#run);
    tellEnd(of.document, progress);
  }

  /** @param {TrialTask} task @param {number} time @returns {Promise<'done' | 'again'>} */
  async #tryOnce(task, time) {
    const { benchmark, of } = task;
    const { testbed, stack: how, progress, estimate, logs } = this.#run;
    testbed.signal.throwIfAborted();
    progress.now(nameOf(task));
    /** @type {Stack | undefined} */
    let stack;
    try {
      stack = await openTrialStack(task, testbed, how);
      const outcome = await this.#measure(task, stack);
      const why = whyNotCounted(benchmark, task.theCase.params, outcome.trial);
      if (why === null) {
        of.outcomes.push(outcome);
        progress.tell(`${nameOf(task)}: ${outcome.inShort}`);
      } else {
        await this.#forget(task, outcome);
        // On a stack that stays, the Sentinels wait for minutes before they try again.
        if (stack !== testbed.stack && time < MOST_TIMES) return this.#again(task, why);
        const tries = time === 1 ? '' : ` in ${time} tries`;
        throw new Error(await whyInFull(`${why}${tries}; the trial is not counted.`, stack, outcome));
      }
    } catch (error) {
      const why = await this.#whyAgain(task, error, time);
      if (why !== null) return this.#again(task, why);
      const reason = await reportFailure(error, { name: nameOf(task), stack, progress, logs });
      of.reasons.push(`${task.theCase.id}: ${reason}`);
    } finally {
      await endTrialStack(stack, testbed);
      estimate.ended(trialPiece(benchmark, of.lanes));
    }
    return 'done';
  }

  /** @param {TrialTask} task @param {Stack} stack */
  async #measure(task, stack) {
    const { testbed, stack: how, progress } = this.#run;
    const { profile, agents, signal } = testbed;
    const notKept = (/** @type {UserError} */ error) => {
      if (this.#lost === undefined) progress.tell(`${error.message} ${error.remedy}`);
      this.#lost ??= error;
    };
    const site = { stack, profile, folder: await this.#folder(), commands: how.commands, signal };
    return runTrial({ ...task, ...site, agentsTrials: agents?.trials, notKept });
  }

  /** Removes the files of a trial that does not count. @param {TrialTask} task @param {TrialOutcome} outcome */
  async #forget(task, { audits }) {
    const folder = await this.#folder();
    for (const { writer } of audits) await removeWriter(folder, { ...trialName(task), writer });
    await removeHistories(folder, trialName(task));
  }

  /** @param {TrialTask} task @param {string} why @returns {'again'} */
  #again(task, why) {
    const { progress, estimate } = this.#run;
    task.of.repeated.push(task.theCase.id);
    progress.tell(SENTENCES.text('trial-again', { trial: nameOf(task), why }));
    estimate.plan(trialPiece(task.benchmark, task.of.lanes));
    return 'again';
  }

  /**
   * @param {TrialTask} task @param {unknown} error of a trial @param {number} time
   * @returns {Promise<string | null>} why the trial is repeated; null: it has failed @throws the error, if it ends the run
   */
  async #whyAgain(task, error, time) {
    const { testbed, progress } = this.#run;
    const { signal, agents } = testbed;
    if (signal.aborted || error instanceof NotPutBack) throw error;
    if (time >= MOST_TIMES) return null;
    const agentBack = agents?.repeatable?.(error);
    if (agentBack) {
      progress.tell(SENTENCES.text('trial-invalid', { trial: nameOf(task), why: messageOf(error) }));
      await agentBack(signal);
    }
    return agentBack || error instanceof NotBegun ? reasonOf(error) : null;
  }
}

/** @param {TrialTask} task */
function nameOf({ benchmark, theCase }) {
  return `${benchmark.name}.${theCase.id}`;
}

/**
 * @param {Pick<Benchmark, 'needsFailover' | 'beforeFailover' | 'whyNoEffect'>} benchmark @param {Case['params']} params of the case
 * @param {Pick<TrialOutcome['trial'], 'events' | 'removed'>} trial @returns {string | null} why the trial shows nothing; null: it counts
 */
export function whyNotCounted({ needsFailover, beforeFailover, whyNoEffect }, params, trial) {
  const why = whyRemoved(trial.removed) ?? whyNoEffect?.(trial, params) ?? null;
  if (why !== null) return why;
  const holds = (/** @type {Benchmark['needsFailover']} */ rule = false) =>
    typeof rule === 'function' ? rule(params) : rule;
  if (sawFailover(trial)) return holds(beforeFailover) ? SENTENCES.text('promoted-before') : null;
  if (!holds(needsFailover) || !isPromotionDue(trial)) return null;
  return SENTENCES.text(electedNobody(trial) ? 'elected-nobody' : 'not-promoted');
}

/**
 * @param {string} why a trial is not counted, a sentence @param {Stack} stack that still runs @param {TrialOutcome} outcome
 * @returns {Promise<string>} with what its nodes know about it
 */
async function whyInFull(why, stack, { trial, result }) {
  if (sawFailover(trial)) return why;
  const seconds = Math.ceil((Date.now() - Date.parse(result.startedAt)) / 1000);
  const causes = (await stack.database.failover.whyNone?.(stack, { events: trial.events, seconds })) ?? [];
  return [why, ...causes].join(' ');
}

/**
 * @param {BenchmarkTrials[]} benchmarks @param {number} trials @param {() => number} random
 * @returns {TrialTask[]} the trials of all cases in random order, round by round
 */
function tasksOf(benchmarks, trials, random) {
  const rounds = Array.from({ length: trials }, (_, index) => index + 1);
  const tasksIn = (/** @type {number} */ round) =>
    benchmarks.flatMap((of) => of.cases.map((theCase) => ({ of, benchmark: of.benchmark, theCase, round })));
  return rounds.flatMap((round) => shuffle(tasksIn(round), random));
}

/** @param {BenchmarkTrials} benchmarkTrials @param {Pick<Run, 'testbed' | 'seed' | 'parameters'>} run */
function documentOf({ benchmark, cases, outcomes, reasons, repeated }, { testbed, seed, parameters }) {
  const done = cases.map(({ id }) => ({
    id,
    trialsOf: outcomes.filter(({ trial }) => trial.case === id).sort((a, b) => a.trial.round - b.trial.round),
  }));
  const isMissing = done.some(({ trialsOf }) => trialsOf.length < testbed.profile.trials);
  const measured = done.filter(({ trialsOf }) => trialsOf.length > 0);
  const stepsCount = !benchmark.needsFailover;
  const document = benchmarkDocument(benchmark, {
    ...statusOf(reasons, isMissing),
    server: testbed.stack.about.server,
    parameters,
    cases: measured.map(({ id, trialsOf }) => {
      const rounds = trialsOf.map(({ result }) => result);
      return { id, params: trialsOf[0].params, rounds, summary: summarise(rounds, null, { seed }) };
    }),
    ...(measured.length > 0 && {
      audit: measured.flatMap(({ trialsOf }) => trialsOf.flatMap(({ audits }) => audits)),
      timeline: measured.flatMap(({ trialsOf }) => keptTimelines(trialsOf, { stepsCount })),
    }),
  });
  if (measured.length > 0 && repeated.length > 0) document.findings.push(repeatedFinding(repeated));
  return document;
}

/**
 * @param {readonly string[]} reasons why trials failed @param {boolean} missing trials were not made
 * @returns {Pick<BenchmarkResult, 'status' | 'reason'>}
 */
function statusOf(reasons, missing) {
  if (reasons.length > 0) return { status: 'failed', reason: countedReasons(reasons) };
  if (missing) return { status: 'skipped', reason: SENTENCES.text('interrupted') };
  return { status: 'ok' };
}

/** @param {readonly string[]} reasons @returns {string} each once */
function countedReasons(reasons) {
  const times = addCounts(...reasons.map((reason) => ({ [reason]: 1 })));
  return Object.entries(times)
    .map(([reason, count]) => (count === 1 ? reason : `${reason} (${count} times)`))
    .join(' ');
}

/** @param {string[]} cases each as often as a trial of it was repeated @returns {Finding} */
function repeatedFinding(cases) {
  const evidence = [...new Set(cases)];
  const text = oneFinding(`${SENTENCES.text('trials-repeated', { trials: plural(cases.length, 'trial') })} `, evidence);
  return { id: 'repeated', text, evidence };
}
