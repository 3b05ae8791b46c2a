/**
 * What a mode is expected to lose in a year, by fault: the frequency of a loss over the trials times its size.
 *
 * @import { DecisionRow } from './decision.js'
 * @import { FaultId } from './faults.js'
 */
import { median, proportionInterval } from '../../src/stats/statistics.js';
import { lossIn } from './decision.js';
import { faultNamed } from './faults.js';

/**
 * @typedef {Object} Demand
 * @property {number} failoversPerYear > 0
 * @property {number} writesPerSecond > 0, acknowledged
 *
 * @typedef {{expected: number, low: number, high: number | null}} Yearly high: null: no trial of any mode shows how large a loss can be
 *
 * @typedef {Object} FaultRisk if all failures of the year were of this kind
 * @property {FaultId} fault
 * @property {string} title
 * @property {number} losing trials with a loss
 * @property {number} trials
 * @property {Yearly} losses failures of the year that lose a write
 * @property {Yearly | null} writes acknowledged writes lost; null: a loss takes, or may take, all that was written before
 * @property {{medianMs: number, lowMs: number, highMs: number}} outage of all failures of the year; Infinity: to the end of a trial
 */

/** The assumption behind {@link riskOf}, for people. */
export const ASSUMPTION =
  'Each line takes all failures of the year to be of that kind. A loss lasts as long as the median of those seen, at most the worst; ' +
  'where none was seen, at most the longest that any mode had in that fault. Frequencies: exact 95% intervals.';

/**
 * @param {DecisionRow} row
 * @param {readonly DecisionRow[]} rows all modes: they show how long a loss in a fault can be
 * @param {readonly FaultId[]} faults
 * @param {Demand} demand
 * @returns {FaultRisk[]} of the faults that the mode was tested in
 */
export function riskOf(row, rows, faults, { failoversPerYear: failures, writesPerSecond }) {
  return faults.flatMap((fault) => {
    const found = row.trials.find((each) => each.fault.id === fault);
    if (!found) return [];
    const { loss, outage } = found;
    const { losing, trials } = loss;
    const frequency = proportionInterval(losing, trials);
    const own = lossSeconds(row, fault);
    const longest = Math.max(...(own.length > 0 ? own : rows.flatMap((other) => lossSeconds(other, fault))));
    const usual = own.length > 0 ? median(own) : 0;
    const takesAll = loss.everything || (own.length === 0 && rows.some((other) => lossIn(other, fault)?.everything));
    const writes = {
      expected: (failures * losing * usual * writesPerSecond) / trials,
      low: failures * frequency.low * usual * writesPerSecond,
      high: Number.isFinite(longest) ? failures * frequency.high * longest * writesPerSecond : null,
    };
    return {
      fault,
      title: faultNamed(fault).title,
      losing,
      trials,
      losses: {
        expected: (failures * losing) / trials,
        low: failures * frequency.low,
        high: failures * frequency.high,
      },
      writes: takesAll ? null : writes,
      outage: {
        medianMs: failures * outage.medianMs,
        lowMs: failures * outage.lowMs,
        highMs: failures * outage.highMs,
      },
    };
  });
}

/**
 * @param {DecisionRow} row
 * @param {FaultId} fault
 * @returns {number[]} seconds of acknowledged writes, of each trial with a loss; empty: no loss, or the rate is unknown
 */
function lossSeconds(row, fault) {
  const loss = lossIn(row, fault);
  if (!loss?.seconds) return [];
  const aWrite = loss.seconds / loss.most;
  return loss.each.flatMap((trial) => (trial.lost > 0 ? trial.lost * aWrite : []));
}
