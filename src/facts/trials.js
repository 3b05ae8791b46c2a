/**
 * The facts of a case that was measured in trials of a failure.
 * @import { AuditResult, TrialResult } from '../result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult } from '../result/schema.js'
 * @import { Fact, FactSubject } from './fact.js'
 * @import { Companion, SuiteTerms } from './index.js'
 * @import { Metric } from './metrics.js'
 */
import * as judgement from '../audit/judgement.js';
import { lossOf } from '../audit/losses.js';
import { auditsOf, byTrial, longestSplitBrain, trialsOf } from '../audit/of-trials.js';
import { endedByHarness, endlessCause, hasOtherRefusals } from '../audit/outages.js';
import { writersOf } from '../registry/writers.js';
import { median, sum } from '../stats/statistics.js';
import { factOf, rangeOf } from './fact.js';
import { figuresIn, METRICS, metricNamed } from './metrics.js';

/** The writer of facts about the worst native writer of each trial. */
export const NATIVE = 'native';
const NATIVE_NAMES = writersOf(NATIVE).map(({ name }) => name);

/** @param {BenchmarkResult} benchmark @param {CaseResult} one @param {FactSubject} subject without a writer @returns {Fact[]} */
export function trialFacts(benchmark, one, subject) {
  const trials = trialsOf(benchmark, one);
  const audits = auditsOf(benchmark, one);
  const native = audits.filter(({ writer }) => NATIVE_NAMES.includes(writer.split('@')[0]));
  const writers = [...new Set(audits.map(({ writer }) => writer))];
  const ofWriters = writers.flatMap((writer) => {
    const own = audits.filter((audit) => audit.writer === writer);
    const figures = own.map((audit) => [...answersOf(audit), ...harmOf(one, trials, [audit])]);
    return writerFacts(figures, { ...subject, writer });
  });
  const worst = byTrial(native).map((trialAudits) => harmOf(one, trials, trialAudits));
  return [
    ...ofWriters,
    ...writerFacts(worst, { ...subject, writer: NATIVE }),
    ...factsOfEach(trials.map(figuresOfTrial), METRICS.trial, subject),
  ];
}

/** @param {readonly Companion[]} all of each trial @param {SuiteTerms} terms @param {FactSubject} subject without a writer */
export function companionFacts(all, { metrics }, subject) {
  return [...new Set(all.map(({ writer }) => writer))].flatMap((writer) => {
    const figures = all.filter((one) => one.writer === writer).map((one) => figuresIn(one.figures));
    return factsOfEach(figures, metrics, { ...subject, writer });
  });
}

/** @param {ReturnType<typeof figuresIn>[]} each of a writer's trials @param {FactSubject} subject */
function writerFacts(each, subject) {
  const losses = each.flat().filter(([place, figure]) => place === 'ackedLost' && figure > 0);
  return factsOfEach(each, METRICS.audit, subject, losses.length);
}

/** @param {ReturnType<typeof figuresIn>[]} each of the trials @param {Readonly<Record<string, Metric>>} names @param {FactSubject} subject @param {number} [trialsWithLoss] */
function factsOfEach(each, names, subject, trialsWithLoss) {
  /** @type {Map<string, number[]>} */
  const values = new Map();
  for (const [place, figure] of each.flat()) values.set(place, [...(values.get(place) ?? []), figure]);
  return [...values].map(([place, figures]) =>
    factOf(subject, names[place] ?? metricNamed(place), figures, { spread: rangeOf, trialsWithLoss }),
  );
}

/** @param {AuditResult} audit @returns what it counted, but for what {@link harmOf} says */
function answersOf({ round: _, present, errors, moves, unavailableMs: __, ackedLost: ___, acked: ____, ...counts }) {
  const held = Object.values(present);
  return figuresIn({
    ...counts,
    noReplicas: errors.NOREPLICAS ?? 0,
    errors: sum(Object.values(errors)),
    moves: moves.length,
    ...(held.length > 1 && { missingOnNode: Math.max(...held) - Math.min(...held) }),
  });
}

/** @param {CaseResult} one @param {readonly TrialResult[]} trials @param {readonly AuditResult[]} audits of one trial, of which the worst writer counts */
function harmOf(one, trials, audits) {
  const trial = trials.filter(({ round }) => round === audits[0].round);
  const alone = /** @type {BenchmarkResult} */ ({ timeline: trial });
  const loss = lossOf(alone, one, audits);
  const longest = audits.reduce((worst, audit) =>
    judgement.outageOf(audit) > judgement.outageOf(worst) ? audit : worst,
  );
  const writers = audits.map(({ writer }) => writer);
  const [{ lost: ackedLost, acked, share: lostShare, seconds: lostSeconds }] = loss?.each ?? [
    { lost: 0, acked: 0, share: null, seconds: null },
  ];
  return figuresIn({
    acked,
    ackedLost,
    lostShare,
    lostSeconds,
    outageMs: judgement.outageOf(longest),
    ...(trial.length > 0 && { atEnd: endOfFault(trial[0], writers) }),
    ...(trial.some(({ writers }) => writers.length > 0) && {
      totalLoss: loss?.everything ?? false,
      endedByHarness: endedByHarness(alone, one, [longest]),
      tooFew: endlessCause(alone, one, [longest]) === 'too few',
      otherRefusals: hasOtherRefusals(longest),
    }),
  });
}

/** @param {TrialResult} trial */
function figuresOfTrial(trial) {
  const { windows, reads, linkMs, pace, converged } = trial;
  return figuresIn({
    windows: { ...windows, splitBrainMs: longestSplitBrain([trial]) },
    ...(reads.reads > 0 && { reads }),
    linkMs,
    pace,
    ...(pace && { fellBehind: judgement.fellBehind(trial) }),
    converged,
    promoted: judgement.sawFailover(trial),
    restarted: judgement.wasRestarted(trial),
    // Only the Sentinel that leads says so.
    promotedReplicas: trial.events.filter(({ kind }) => kind === 'replica-promoted').length,
    tilts: trial.events.filter(({ kind }) => kind === 'tilt').length,
    choseFrozen: judgement.choseFrozen(trial),
    lengthMs: trial.stepMs * Math.max(0, ...trial.writers.map(({ acked }) => acked.length)),
    refusalMs: judgement.firstStep(trial, 'rejected'),
    demotedMs: demotedAfter(trial),
    followed: judgement.happened(trial, 'not-followed') ? false : judgement.happened(trial, 'followed') || null,
    replicas: replicasOf(trial),
    lagWarning: lagWarningOf(trial),
  });
}

/** @param {TrialResult} trial @returns {number | null} milliseconds from the fault until the old primary was a replica; null: not seen */
function demotedAfter(trial) {
  const [fault, demoted] = [judgement.faultOf(trial), judgement.firstAt(trial, 'demoted')];
  return fault === null || demoted === null ? null : demoted - fault.from;
}

/** @param {TrialResult} trial @returns {Record<string, number>} replicas that the primary counted; empty: the trial did not watch them */
function replicasOf({ events }) {
  const seen = events.flatMap(({ kind, value }) => (kind === 'replicas-connected' ? Number(value) : []));
  return seen.length === 0 ? {} : { before: seen[0], least: Math.min(...seen), after: seen[seen.length - 1] };
}

/** @param {TrialResult} trial @returns {number | null} milliseconds from the first warning of lag to the first rejected write; null: one is missing */
function lagWarningOf(trial) {
  const [fault, lagging] = [judgement.faultOf(trial), judgement.firstAt(trial, 'lagging')];
  const rejectedAfter = judgement.firstStep(trial, 'rejected');
  return fault === null || rejectedAfter === null || lagging === null ? null : fault.from + rejectedAfter - lagging;
}

/** The end of a fault, when clients and servers had time to notice it: longer than the timeout of WAIT, 1 s. */
const END_MS = 2000;
/** The undoing of a fault takes some time before its mark. */
const UNDOING_MS = 300;
const OUTCOMES = /** @type {const} */ (['acked', 'underAcked', 'rejected', 'unknown', 'unsent']);

/**
 * @param {TrialResult} trial @param {readonly string[]} names of writers
 * @returns {Record<string, number>} shares of the writes that were due at the end of the fault, and their p99 in ms, of the writer with the
 *   fewest confirmed ones. `acked` is divided by the share that was sent before the fault, which takes out the delay of a busy machine.
 *   Empty: no fault that ended while they wrote
 */
function endOfFault({ events, stepMs, writers }, names) {
  const begun = events.filter(({ kind }) => kind === 'fault-begun').map(({ at }) => at);
  // The first node that continues ends the fault.
  const undone = events.find(({ kind }) => kind === 'fault-undone')?.at;
  const last = begun.at(-1);
  if (last === undefined || undone === undefined) return {};
  const toMs = undone - UNDOING_MS;
  const end = stepsBetween(stepMs, Math.max(last, toMs - END_MS), toMs);
  const before = stepsBetween(stepMs, 0, begun[0]);
  const measured = writers.filter(({ writer }) => names.includes(writer));
  const shares = measured.flatMap((writer) => sharesOf(writer, end, before));
  return shares.toSorted((a, b) => a.acked - b.acked)[0] ?? {};
}

/** @param {TrialResult['writers'][number]} writer @param {[first: number, end: number]} steps @param {[first: number, end: number]} before the fault */
function sharesOf(writer, steps, before) {
  const countIn = (/** @type {typeof OUTCOMES[number]} */ outcome, /** @type {[number, number]} */ span) =>
    sum(writer[outcome].slice(...span));
  const dueIn = (/** @type {[number, number]} */ span) => sum(OUTCOMES.map((outcome) => countIn(outcome, span)));
  const due = dueIn(steps);
  if (due === 0) return [];
  // A writer that sent nothing yet shows no pace.
  const sent = 1 - countIn('unsent', before) / Math.max(1, dueIn(before)) || 1;
  const shares = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, countIn(outcome, steps) / due]));
  const times = writer.p99Ms.slice(...steps).filter((ms) => ms !== null);
  const p99 = times.length > 0 && shares.acked > 0 && { p99: median(times) };
  return [{ ...shares, acked: Math.min(1, shares.acked / sent), ...p99 }];
}

/** @param {number} stepMs @param {number} fromMs @param {number} toMs @returns {[first: number, end: number]} steps that lie wholly between them */
function stepsBetween(stepMs, fromMs, toMs) {
  const first = Math.ceil(fromMs / stepMs);
  return [first, Math.max(first, Math.floor(toMs / stepMs))];
}
