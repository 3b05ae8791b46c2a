/**
 * Who ended an outage: the system, or the harness when it ended the fault.
 * @import { AuditResult, TrialResult } from '../result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult } from '../result/schema.js'
 * @typedef {'too few' | 'silent'} EndlessCause why an outage lasted until the load ended. too few: the primary answered, but refused, or
 *   confirmed on too few replicas; silent: nothing answered, and nothing told the client that its connection was dead
 */
import { faultOf, firstAt } from './judgement.js';
import { trialsOf } from './of-trials.js';

/** Clients have found the new primary by then. */
const PROMOTED_MS = 1500;

/**
 * In most trials writes were acknowledged again only after the harness had ended the fault. On a deployment that may never happen.
 * @param {BenchmarkResult} benchmark @param {CaseResult} one
 * @param {readonly AuditResult[]} audits one for each trial: of the writer that waited longest
 */
export function endedByHarness(benchmark, one, audits) {
  const ended = inTrials(benchmark, one, audits).filter(({ trial, writer }) => waitedForTheEnd(trial, writer));
  return ended.length > audits.length / 2;
}

/**
 * @param {BenchmarkResult} benchmark @param {CaseResult} one @param {readonly AuditResult[]} audits as for {@link endedByHarness}
 * @returns {EndlessCause | null} of most trials that were still unavailable at their end; null: there is none
 */
export function endlessCause(benchmark, one, audits) {
  const endless = audits.filter(({ unavailableMs }) => unavailableMs === null);
  const causes = inTrials(benchmark, one, endless).map(({ trial, writer }) => causeIn(trial, writer));
  if (causes.length === 0) return null;
  return causes.filter((cause) => cause === 'too few').length >= causes.length / 2 ? 'too few' : 'silent';
}

/** @param {BenchmarkResult} benchmark @param {CaseResult} one @param {readonly AuditResult[]} audits */
function inTrials(benchmark, one, audits) {
  return trialsOf(benchmark, one).flatMap((trial) =>
    audits.filter(({ round }) => round === trial.round).map(({ writer }) => ({ trial, writer })),
  );
}

/** @param {TrialResult} trial @param {string} name of a writer that got no acknowledgement to the end */
function causeIn({ writers }, name) {
  const writer = writers.find((each) => each.writer === name);
  if (!writer) return 'silent';
  const since = writer.acked.findLastIndex((count) => count > 0) + 1;
  // Answers of a machine before it was lost, and those that come when the load ends, do not tell why it lasts.
  const half = Math.floor((since + writer.acked.length) / 2);
  const answers = [...writer.underAcked.slice(half, -1), ...writer.rejected.slice(half, -1)];
  return answers.some((count) => count > 0) ? 'too few' : 'silent';
}

/** @param {TrialResult} trial @param {string} writer */
function waitedForTheEnd(trial, writer) {
  const fault = faultOf(trial);
  const acked = trial.writers.find((each) => each.writer === writer)?.acked ?? [];
  // Nothing comes back when a planned failover is undone: the new roles stay.
  if (!fault || fault.planned) return false;
  const resumed = endOfLongestGap(acked, Math.floor(fault.from / trial.stepMs));
  if (resumed === null) return false;
  const promotedMs = firstAt(trial, 'promoted') ?? Number.NEGATIVE_INFINITY;
  // It took what the harness had taken away before the fault, such as a majority of the Sentinels.
  const isBroughtBack = trial.events.some(
    ({ kind, at }) => kind === 'preparation-undone' && at > fault.from && at < promotedMs,
  );
  if (isBroughtBack) return true;
  // Some faults end with the promotion. Then it was the promotion that brought the writes back.
  const byPromotion = Math.abs(resumed * trial.stepMs - promotedMs) < PROMOTED_MS;
  // A node that continues answers within the step in which it was released.
  return !byPromotion && (resumed + 1) * trial.stepMs > fault.to;
}

/**
 * @param {readonly number[]} acked writes, by step @param {number} from step
 * @returns {number | null} the step after the longest run of steps without an acknowledgement; null: no such run, or it never ended
 */
function endOfLongestGap(acked, from) {
  let [longest, end, run] = [0, acked.length, 0];
  for (let step = from; step <= acked.length; step++) {
    if (acked[step] === 0) run++;
    else {
      if (run > longest) [longest, end] = [run, step];
      run = 0;
    }
  }
  return longest === 0 || end >= acked.length ? null : end;
}

const OUT_OF_MEMORY = 'OOM';
/** Fewer refused writes than this share are no reason for an outage. */
const FEW_REFUSED = 0.01;

/** @param {AuditResult} audit @returns {boolean} writes were refused for another reason than the fault: before it, or by a full memory */
export function hasOtherRefusals({ attempted, rejected, rejectedBefore = 0, errors }) {
  const full = (errors[OUT_OF_MEMORY] ?? 0) > rejected / 2 ? rejected : 0;
  return Math.max(rejectedBefore, full) > FEW_REFUSED * attempted;
}
