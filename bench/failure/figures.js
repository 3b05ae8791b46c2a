/**
 * Losses and outages of failure trials, by case.
 *
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { AuditResult, TrialResult } from '../../src/result/failure-schema.js'
 * @import { Unavailable } from '../../src/report/trials/figures.js'
 */
import { count, percent, range } from '../../src/report/format.js';
import {
  auditsOf,
  milliseconds,
  NOT_MEASURED,
  outageOf,
  trialsOf,
  unavailableOf,
} from '../../src/report/trials/figures.js';
import { faultOf } from '../../src/report/trials/timeline.js';
import { median, proportionInterval } from '../../src/stats/statistics.js';
import { NATIVE_WRITERS } from './cases.js';

/**
 * @typedef {Object} Loss of each trial the writer that lost most
 * @property {number} trials
 * @property {TrialLoss[]} each one a trial
 * @property {number} losing trials with a loss
 * @property {number} lost acknowledged writes, sum of the trials
 * @property {number} acked sum of the trials
 * @property {number} most lost in one trial
 * @property {number | null} seconds of acknowledged writes lost in that trial; null: the rate of the writer is unknown
 * @property {number} usual lost writes, median of the trials, those without a loss included
 * @property {number | null} usualSeconds the same in seconds of acknowledged writes; null: the rate is unknown
 * @property {Unavailable} unavailable over the trials, of the writer that waited longest
 *
 * @typedef {Object} TrialLoss
 * @property {number} lost acknowledged writes that are gone
 * @property {number} acked by the same writer
 * @property {number} share 0 … 1, the greatest of the writers
 */

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {AuditResult[]} of the writers with the native client
 */
export function ownAudits(benchmark, one) {
  return auditsOf(benchmark, one).filter(({ writer }) => NATIVE_WRITERS.includes(writer));
}

/**
 * @param {readonly AuditResult[]} audits of one case
 * @param {number | undefined} rate writes a second of each writer
 * @returns {Loss | null} null: no trial acknowledged a write, so none could be lost
 */
export function lossOf(audits, rate) {
  const rounds = [...new Set(audits.map(({ round }) => round))];
  const perTrial = rounds.map((round) => audits.filter((audit) => audit.round === round));
  const each = perTrial.flatMap((writers) => lossOfTrial(writers.filter(({ acked }) => acked > 0)) ?? []);
  if (each.length === 0) return null;
  const longest = perTrial.map((writers) =>
    writers.reduce((worst, audit) => (outageOf(audit) > outageOf(worst) ? audit : worst)),
  );
  const most = Math.max(...each.map(({ lost }) => lost));
  const usual = median(each.map(({ lost }) => lost));
  return {
    trials: rounds.length,
    each,
    losing: each.filter(({ lost }) => lost > 0).length,
    lost: each.reduce((sum, { lost }) => sum + lost, 0),
    acked: each.reduce((sum, { acked }) => sum + acked, 0),
    most,
    seconds: rate === undefined ? null : most / rate,
    usual,
    usualSeconds: rate === undefined ? null : usual / rate,
    unavailable: unavailableOf(longest),
  };
}

/**
 * @param {readonly AuditResult[]} writers with acknowledged writes
 * @returns {TrialLoss | null}
 */
function lossOfTrial(writers) {
  if (writers.length === 0) return null;
  // Of writers that lost equally many the one with fewer acknowledgements: `0 of N` must not promise too much.
  const [{ ackedLost, acked }] = [...writers].sort((a, b) => b.ackedLost - a.ackedLost || a.acked - b.acked);
  return { lost: ackedLost, acked, share: Math.max(...writers.map((audit) => audit.ackedLost / audit.acked)) };
}

/** The last writes before a fault may have reached a replica or a file. */
const NEARLY_ALL = 0.99;

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {boolean} in a trial, a writer with the native client lost all writes that were acknowledged before the fault
 */
export function lostEverything(benchmark, one) {
  const audits = ownAudits(benchmark, one);
  return trialsOf(benchmark, one).some((trial) =>
    audits.some((audit) => {
      const before = audit.round === trial.round ? ackedBeforeFault(trial, audit.writer) : 0;
      return before > 0 && audit.ackedLost >= NEARLY_ALL * before;
    }),
  );
}

/**
 * @param {TrialResult} trial
 * @param {string} name of a writer
 * @returns {number} writes
 */
function ackedBeforeFault(trial, name) {
  const steps = Math.floor((faultOf(trial)?.from ?? 0) / trial.stepMs);
  const writer = trial.writers.find((each) => each.writer === name);
  return (writer?.acked ?? []).slice(0, steps).reduce((sum, count) => sum + count, 0);
}

/**
 * @param {Loss | null} loss
 * @returns {string} the worst trial, such as `17,952 (18.0 s)`, over several trials `17,952 (18.0 s), 3/5`; `0, 0/5`; `–`
 */
export function worstLoss(loss) {
  if (loss === null) return NOT_MEASURED;
  const { most, seconds, losing, trials } = loss;
  return `${count(most)}${secondsText(seconds)}${trials > 1 ? `, ${losing}/${trials}` : ''}`;
}

/**
 * @param {number | null} seconds
 * @param {string} [fault] in which they were lost
 * @returns {string} such as ` (18.0 s)` or ` (18.0 s, network partition)`; empty for none
 */
export function secondsText(seconds, fault) {
  const parts = [...(seconds ? [milliseconds(seconds * 1000)] : []), ...(fault === undefined ? [] : [fault])];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** With so many trials a case, tables show frequencies and medians; with fewer, the worst trial says as much. */
const MANY_TRIALS = 5;
const CONFIDENCE = 0.95;

/**
 * @param {readonly (Loss | null)[]} losses
 * @returns {boolean} every measured one has enough trials for a frequency
 */
export function areMany(losses) {
  const measured = losses.filter((loss) => loss !== null);
  return measured.length > 0 && measured.every(({ trials }) => trials >= MANY_TRIALS);
}

/**
 * @param {number} trials > 0, all without the event
 * @returns {number} upper bound of its probability, 0 … 1, exact (Clopper–Pearson, one-sided)
 */
export function riskBound(trials) {
  return 1 - (1 - CONFIDENCE) ** (1 / trials);
}

/**
 * @param {Pick<Loss, 'losing' | 'trials'>} loss
 * @returns {string} trials with a loss and how likely that makes one, such as `28/30 (78–99%)`; without a loss its upper bound:
 *   `0/30 (≤9.5%)`
 */
export function riskText({ losing, trials }) {
  const { low, high } = proportionInterval(losing, trials);
  const risk = losing === 0 ? `≤${shareText(riskBound(trials))}` : range(low, high, shareText);
  return `${losing}/${trials} (${risk})`;
}

/** @param {number} share of an interval: one decimal is enough near 100% */
function shareText(share) {
  return share > 0.99 && share < 1 ? `${Math.min(99.9, 100 * share).toFixed(1)}%` : percent(share);
}

/**
 * @param {Loss | null} loss
 * @returns {string} of many trials, such as `28/30 (78–99%); 13.9 s, 14.3 s`: the risk, then seconds lost in the median and in the worst
 *   trial, or writes if the rate is unknown; `0/30 (≤9.5%)`; `–`
 */
export function riskAndLoss(loss) {
  if (loss === null) return NOT_MEASURED;
  if (loss.losing === 0) return riskText(loss);
  const { usual, usualSeconds, most, seconds } = loss;
  const [middle, worst] =
    seconds === null || usualSeconds === null
      ? [count(Math.round(usual)), count(most)]
      : [milliseconds(usualSeconds * 1000), milliseconds(seconds * 1000)];
  return `${riskText(loss)}; ${middle}, ${worst}`;
}

/**
 * @param {readonly (Loss | null)[]} losses
 * @returns {string} such as `1 trial`, `3–5 trials`
 */
export function trialsText(losses) {
  const numbers = losses.flatMap((loss) => loss?.trials ?? []);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return `${low === high ? low : `${low}–${high}`} trial${high === 1 ? '' : 's'}`;
}
