/**
 * What a mode is expected to lose in a year, by fault: the frequency of a loss over the trials times its size.
 *
 * @import { Loss } from '../../src/audit/losses.js'
 * @import { DecisionRow } from './decision.js'
 * @import { FaultId } from '../experiments/decision-faults.js'
 */
import { knownMedian, median, proportionInterval, sum } from '../../src/stats/statistics.js';
import { FAULTS, faultNamed } from '../experiments/decision-faults.js';
import { lossIn, testedFaults } from './decision.js';

/**
 * @typedef {Object} YearlyDemand
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
 * @property {number} seconds of acknowledged writes that it is expected to lose in a year, without losses of everything
 * @property {number} everything how often in a year it is expected to lose everything
 * @property {FaultId[]} untested faults that happen, and that it was not tested in
 */

/** How often each fault happens in a year, unless the user says otherwise. @type {Readonly<Record<FaultId, number>>} */
export const ASSUMED_PER_YEAR = Object.freeze(
  /** @type {Record<FaultId, number>} */ (Object.fromEntries(FAULTS.map(({ id, perYear }) => [id, perYear]))),
);

/**
 * What each mode is expected to lose in a year: faults a year × frequency of a loss × its median. Losses that no trial showed count as none.
 * @param {readonly DecisionRow[]} rows modes
 * @param {{faultsPerYear?: FaultsPerYear, faults?: readonly FaultId[]}} [options] faultsPerYear: replaces the assumption for these faults; faults: that
 *   count, default: all that a mode was tested in
 * @returns {YearlyLoss[]} the smallest loss first: fewer losses of everything, then fewer seconds; equal ones in the order of the rows
 */
export function yearlyLosses(rows, { faultsPerYear = {}, faults = testedFaults(rows) } = {}) {
  const often = { ...ASSUMED_PER_YEAR, ...faultsPerYear };
  const happening = faults.filter((fault) => often[fault] > 0);
  return rows
    .filter(({ trials }) => trials.length > 0)
    .map((row) => {
      const losses = row.trials
        .filter(({ fault, loss }) => happening.includes(fault.id) && loss.losing > 0)
        .map(({ fault, loss }) => ({ loss, times: (often[fault.id] * loss.losing) / loss.trials }));
      const [emptying, others] = [true, false].map((all) => losses.filter(({ loss }) => loss.everything === all));
      return {
        row,
        seconds: sum(others.map(({ loss, times }) => times * usualSeconds(loss))),
        everything: sum(emptying.map(({ times }) => times)),
        untested: happening.filter((fault) => lossIn(row, fault) === null),
      };
    })
    .sort((a, b) => a.everything - b.everything || a.seconds - b.seconds);
}

/**
 * @param {DecisionRow} row
 * @param {readonly DecisionRow[]} rows all modes: they show how long a loss in a fault can be
 * @param {readonly FaultId[]} faults
 * @param {YearlyDemand} demand
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
  return secondsOf(lossIn(row, fault)?.each ?? []);
}

/** @param {Loss['each']} trials */
function secondsOf(trials) {
  return trials.flatMap(({ lost, seconds }) => (lost > 0 && seconds !== null ? [seconds] : []));
}

/** @param {Loss} loss @returns {number} median of the trials with a loss; 0: its rate is unknown */
function usualSeconds({ each }) {
  return knownMedian(secondsOf(each)) ?? 0;
}
