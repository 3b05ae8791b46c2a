/**
 * What trials of a failure lost: the figures of a case over its trials.
 * @import { AuditResult } from '../result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult } from '../result/schema.js'
 * @typedef {Object} Loss of each trial the writer that lost most
 * @property {number} trials @property {TrialLoss[]} each one a trial @property {number} losing trials with a loss
 * @property {number} lost acknowledged writes, sum of the trials @property {number} acked sum of the trials
 * @property {number} most lost in one trial
 * @property {number | null} seconds of acknowledged writes lost in the worst trial, see `secondsLost`; null: the rate is unknown
 * @property {boolean} everything as in `lostEverything`; then the seconds only say how long the trial ran
 * @typedef {Object} TrialLoss
 * @property {number} lost acknowledged writes that are gone @property {number} acked by the same writer
 * @property {number} share 0 … 1, the greatest of the writers
 * @property {number | null} seconds of acknowledged writes lost, the most of the writers; null: their rate is unknown
 */
import { sum } from '../stats/statistics.js';
import { faultOf, sawFailover } from './judgement.js';
import { secondsLost } from './lost-steps.js';
import { byTrial, trialsOf } from './of-trials.js';

/**
 * @param {BenchmarkResult} benchmark @param {CaseResult} one @param {readonly AuditResult[]} audits of its writers that count
 * @returns {Loss | null} null: no trial acknowledged a write, so none could be lost
 */
export function lossOf(benchmark, one, audits) {
  const perTrial = byTrial(audits);
  const timelines = new Map(trialsOf(benchmark, one).map((trial) => [trial.round, trial]));
  const { rate } = one.params;
  const secondsOf = (/** @type {AuditResult} */ audit) =>
    rate === undefined ? null : secondsLost(audit, timelines.get(audit.round), rate);
  const each = perTrial.flatMap((writers) => lossOfTrial(writers, secondsOf) ?? []);
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
    everything: lostEverything(benchmark, one, audits),
  };
}

/** @param {readonly AuditResult[]} audits of the trial @param {(audit: AuditResult) => number | null} secondsOf */
function lossOfTrial(audits, secondsOf) {
  const writers = audits.filter(({ acked }) => acked > 0);
  if (writers.length === 0) return null;
  // Among writers that lost equally many, the one with fewer acknowledgements: `0 of N` must not promise too much.
  const [{ ackedLost, acked }] = writers.toSorted((a, b) => b.ackedLost - a.ackedLost || a.acked - b.acked);
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
 * @param {BenchmarkResult} benchmark @param {CaseResult} one @param {readonly AuditResult[]} audits of its writers that count
 * @returns {boolean} in a trial, a writer lost all writes that were acknowledged before the fault
 */
function lostEverything(benchmark, one, audits) {
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
