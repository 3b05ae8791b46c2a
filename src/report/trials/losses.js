/**
 * What trials of a failure lost: the figures of a case over its trials, and how reports show them.
 *
 * @import { AuditResult } from '../../result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult } from '../../result/schema.js'
 */

import { faultOf, sawFailover } from '../../audit/judgement.js';
import { ALL, count, percent, plural, range } from '../../format.js';
import { median, proportionInterval, sum } from '../../stats/statistics.js';
import { byTrial, milliseconds, NOT_MEASURED, trialsOf } from './figures.js';
import { secondsLost } from './lost-steps.js';

/**
 * @typedef {Object} Loss of each trial the writer that lost most
 * @property {number} trials
 * @property {TrialLoss[]} each one a trial
 * @property {number} losing trials with a loss
 * @property {number} lost acknowledged writes, sum of the trials
 * @property {number} acked sum of the trials
 * @property {number} most lost in one trial
 * @property {number | null} seconds of acknowledged writes lost in the worst trial, see {@link secondsLost}; null: the rate of the writer is unknown
 * @property {number} usual lost writes, median of the trials, those without a loss included
 * @property {number | null} usualSeconds the same in seconds of acknowledged writes; null: the rate is unknown
 * @property {boolean} everything in a trial a writer lost all that was acknowledged before the fault, so its seconds only say how long
 *   the trial ran
 *
 * @typedef {Object} TrialLoss
 * @property {number} lost acknowledged writes that are gone
 * @property {number} acked by the same writer
 * @property {number} share 0 … 1, the greatest of the writers
 * @property {number | null} seconds of acknowledged writes lost, the most of the writers; null: their rate is unknown
 */

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @param {readonly AuditResult[]} audits of its writers that count
 * @returns {Loss | null} null: no trial acknowledged a write, so none could be lost
 */
export function lossOf(benchmark, one, audits) {
  const perTrial = byTrial(audits);
  const timelines = new Map(trialsOf(benchmark, one).map((trial) => [trial.round, trial]));
  const { rate } = one.params;
  const secondsOf = (/** @type {AuditResult} */ audit) =>
    rate === undefined ? null : secondsLost(audit, timelines.get(audit.round), rate);
  const each = perTrial.flatMap(
    (writers) =>
      lossOfTrial(
        writers.filter(({ acked }) => acked > 0),
        secondsOf,
      ) ?? [],
  );
  if (each.length === 0) return null;
  const seconds = each.flatMap((trial) => trial.seconds ?? []);
  return {
    trials: perTrial.length,
    each,
    losing: each.filter(({ lost }) => lost > 0).length,
    lost: sum(each.map(({ lost }) => lost)),
    acked: sum(each.map(({ acked }) => acked)),
    most: Math.max(...each.map(({ lost }) => lost)),
    seconds: rate === undefined ? null : Math.max(...seconds),
    usual: median(each.map(({ lost }) => lost)),
    usualSeconds: rate === undefined ? null : median(seconds),
    everything: lostEverything(benchmark, one, audits),
  };
}

/**
 * @param {readonly AuditResult[]} writers with acknowledged writes
 * @param {(audit: AuditResult) => number | null} secondsOf
 * @returns {TrialLoss | null}
 */
function lossOfTrial(writers, secondsOf) {
  if (writers.length === 0) return null;
  // Among writers that lost equally many, the one with fewer acknowledgements: `0 of N` must not promise too much.
  const [{ ackedLost, acked }] = [...writers].sort((a, b) => b.ackedLost - a.ackedLost || a.acked - b.acked);
  const seconds = writers.flatMap((audit) => secondsOf(audit) ?? []);
  return {
    lost: ackedLost,
    acked,
    share: Math.max(...writers.map((audit) => audit.ackedLost / audit.acked)),
    seconds: seconds.length === 0 ? null : Math.max(...seconds),
  };
}

/** The last writes before a fault may have reached a replica or a file. */
const NEARLY_ALL = 0.99;

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @param {readonly AuditResult[]} audits of its writers that count
 * @returns {boolean} in a trial, a writer lost all writes that were acknowledged before the fault
 */
export function lostEverything(benchmark, one, audits) {
  return trialsOf(benchmark, one).some((trial) =>
    audits.some((audit) => {
      const writer = trial.writers.find((each) => each.writer === audit.writer);
      const fault = faultOf(trial);
      if (audit.round !== trial.round || !writer || !fault) return false;
      const steps = Math.floor(fault.from / trial.stepMs);
      const acked = sum(writer.acked.slice(0, steps));
      // Earlier results do not say when lost writes were acknowledged. A failover loses those after the fault as well.
      const lost = writer.lost ? sum(writer.lost.slice(0, steps)) : sawFailover(trial) ? 0 : audit.ackedLost;
      return acked > 0 && lost >= NEARLY_ALL * acked;
    }),
  );
}

/** Explains {@link ALL} below a table. */
export const ALL_NOTE = `${ALL}: everything that was acknowledged before the fault`;

/**
 * @param {Pick<Loss, 'most' | 'everything'>} loss
 * @param {(most: number) => string} [number]
 * @returns {string} acknowledged writes lost in the worst trial, such as `17,952` or `ALL 1,501`
 */
export function mostText({ most, everything }, number = count) {
  return `${everything ? `${ALL} ` : ''}${number(most)}`;
}

/**
 * @param {Pick<Loss, 'most' | 'everything'>} loss
 * @returns {string} such as `up to 17,952` or `ALL 1,501`
 */
export function upToText(loss) {
  return `${loss.everything ? '' : 'up to '}${mostText(loss)}`;
}

/**
 * @param {Pick<Loss, 'seconds' | 'everything'>} loss
 * @returns {string} seconds of acknowledged writes lost in the worst trial, such as `18.0 s`; `ALL`; `–`: unknown
 */
export function lostSeconds({ seconds, everything }) {
  return everything ? ALL : milliseconds(seconds === null ? null : seconds * 1000);
}

/**
 * @param {Loss | null} loss
 * @returns {string} the worst trial, such as `17,952 (18.0 s)` or `ALL 1,501`, over several trials `17,952 (18.0 s), 3/5`; `0, 0/5`; `–`
 */
export function worstLoss(loss) {
  if (loss === null) return NOT_MEASURED;
  return `${mostText(loss)}${timeText(loss)}${loss.trials > 1 ? `, ${loss.losing}/${loss.trials}` : ''}`;
}

/**
 * @param {Loss} loss
 * @returns {string} as {@link worstLoss}, but `ALL` without a number, which would only say how long the trial ran and look small beside others
 */
export function worstLossOrAll(loss) {
  if (!loss.everything) return worstLoss(loss);
  return `${ALL}${loss.trials > 1 ? `, ${loss.losing}/${loss.trials}` : ''}`;
}

/**
 * @param {Pick<Loss, 'seconds' | 'everything'>} loss
 * @param {string} [fault] in which they were lost
 * @returns {string} such as ` (18.0 s)` or ` (18.0 s, network partition)`; empty for none
 */
export function timeText({ seconds, everything }, fault) {
  const parts = [
    ...(seconds && !everything ? [milliseconds(seconds * 1000)] : []),
    ...(fault === undefined ? [] : [fault]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** From this number of trials a case, tables show frequencies and medians; with fewer, the worst trial says as much. */
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
 * @param {readonly Loss[]} losses at least one
 * @returns {string} a sentence: what the fewest trials without a loss leave open
 */
export function openRisk(losses) {
  const trials = Math.min(...losses.map((loss) => loss.trials));
  return `${plural(trials, 'trial')} without a loss still ${trials === 1 ? 'allows' : 'allow'} a loss in up to ${percent(riskBound(trials))} of failures (95% confidence).`;
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
 *   trial, or writes if the rate is unknown; `30/30 (88–100%); ALL`; `0/30 (≤9.5%)`; `–`
 */
export function riskAndLoss(loss) {
  if (loss === null) return NOT_MEASURED;
  if (loss.losing === 0) return riskText(loss);
  if (loss.everything) return `${riskText(loss)}; ${ALL}`;
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
