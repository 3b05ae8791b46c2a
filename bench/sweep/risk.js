/**
 * What a mode is expected to lose in a year, by fault: the frequency of a loss over the trials times its size.
 *
 * @import { DecisionRow } from './decision.js'
 * @import { FaultId } from '../experiments/decision-faults.js'
 */
import { median, proportionInterval, sum } from '../../src/stats/statistics.js';
import { FAULTS, faultNamed } from '../experiments/decision-faults.js';
import { lossIn } from './decision.js';

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

/**
 * @typedef {Readonly<Partial<Record<FaultId, number>>>} FaultsPerYear how often each fault happens, ≥ 0
 *
 * @typedef {Object} YearlyLoss of a mode, over all faults that it was tested in
 * @property {DecisionRow} row
 * @property {number} writes acknowledged writes that it is expected to lose in a year, without losses of everything
 * @property {number} everything how often in a year it is expected to lose everything
 * @property {FaultId[]} untested faults that happen, and that it was not tested in
 */

/** How often each fault happens in a year, unless the user says otherwise. @type {Readonly<Record<FaultId, number>>} */
export const ASSUMED_PER_YEAR = Object.freeze(
  /** @type {Record<FaultId, number>} */ (Object.fromEntries(FAULTS.map(({ id, perYear }) => [id, perYear]))),
);

/**
 * Weighs the faults by how common they are.
 *
 * @param {readonly DecisionRow[]} rows modes
 * @param {readonly FaultId[]} faults that were tested
 * @param {{faultsPerYear: FaultsPerYear, writesPerSecond: number}} demand faultsPerYear: replaces the assumption for these faults
 * @returns {YearlyLoss[]} the smallest loss first: fewer losses of everything, then fewer writes; those in the order of the rows
 */
export function weigh(rows, faults, { faultsPerYear, writesPerSecond }) {
  const often = { ...ASSUMED_PER_YEAR, ...faultsPerYear };
  const happening = faults.filter((fault) => often[fault] > 0);
  const weighed = rows
    .filter(({ trials }) => trials.length > 0)
    .map((row) => {
      const risks = happening.flatMap((fault) =>
        riskOf(row, rows, [fault], { failoversPerYear: often[fault], writesPerSecond }),
      );
      const emptying = risks.filter(({ fault }) => lossIn(row, fault)?.everything);
      return {
        row,
        writes: sum(risks.filter((risk) => !emptying.includes(risk)).map(({ writes }) => writes?.expected ?? 0)),
        everything: sum(emptying.map(({ losses }) => losses.expected)),
        untested: happening.filter((fault) => lossIn(row, fault) === null),
      };
    });
  return weighed.sort((a, b) => a.everything - b.everything || a.writes - b.writes);
}

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
    const lostSeconds = lossSeconds(row, fault);
    const longest = Math.max(
      ...(lostSeconds.length > 0 ? lostSeconds : rows.flatMap((other) => lossSeconds(other, fault))),
    );
    const usual = lostSeconds.length > 0 ? median(lostSeconds) : 0;
    const takesAll =
      loss.everything || (lostSeconds.length === 0 && rows.some((other) => lossIn(other, fault)?.everything));
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
