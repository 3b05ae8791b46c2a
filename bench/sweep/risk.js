/** What a mode is expected to lose in a year: how often each fault happens, times the frequency of a loss over the trials, times its size. */
/** @import { DecisionRow } from './decision.js' */
/** @import { FaultId } from '../experiments/decision-faults.js' */
import { sum } from '../../src/stats/statistics.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { lossIn, testedFaults } from './decision.js';

/**
 * @typedef {Readonly<Record<FaultId, number>>} FaultsPerYear how often each fault happens, ≥ 0
 * @typedef {ReturnType<typeof yearlyLosses>[number]} YearlyLoss of a mode. seconds: of acknowledged writes lost in a year, without losses of everything;
 *   everything: how often it loses everything; untested: faults that happen, and that it was not tested in
 */

/** How often each fault happens in a year, unless the user says otherwise. @type {Readonly<Record<FaultId, number>>} */
export const ASSUMED_PER_YEAR = Object.freeze(
  /** @type {Record<FaultId, number>} */ (Object.fromEntries(FAULTS.map(({ id, perYear }) => [id, perYear]))),
);

/**
 * Losses that no trial showed count as none.
 * @param {readonly DecisionRow[]} rows modes
 * @param {{faultsPerYear?: FaultsPerYear, faults?: readonly FaultId[]}} [options] faultsPerYear: replaces the assumption for these faults; faults: that
 *   count, default: all that a mode was tested in
 * @returns the smallest loss first: fewer losses of everything, then fewer seconds; equal ones in the order of the rows
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
      const [emptying, others] = [true, false].map((all) => losses.filter(({ loss }) => loss.all === all));
      return {
        row,
        seconds: sum(others.map(({ loss, times }) => times * loss.usualSeconds)),
        everything: sum(emptying.map(({ times }) => times)),
        untested: happening.filter((fault) => lossIn(row, fault) === null),
      };
    })
    .sort((a, b) => a.everything - b.everything || a.seconds - b.seconds);
}
