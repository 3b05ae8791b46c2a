/**
 * The faults that modes were tested in, and those that show nothing here.
 *
 * @import { DecisionRow } from './decision.js'
 * @import { DecisionFault, FaultId } from '../experiments/decision-faults.js'
 */
import { FAULTS } from '../experiments/decision-faults.js';

/**
 * @param {readonly DecisionRow[]} rows
 * @returns {FaultId[]} faults that at least one of the modes was tested in
 */
export function testedFaults(rows) {
  return FAULTS.map(({ id }) => id).filter((id) =>
    rows.some(({ trials }) => trials.some(({ fault }) => fault.id === id)),
  );
}

/**
 * Faults in which no mode lost a write, although the fault can lose some elsewhere.
 *
 * @param {readonly DecisionRow[]} rows
 * @returns {DecisionFault[]}
 */
export function blindFaults(rows) {
  return FAULTS.filter(({ id, blind }) => {
    const trials = rows.flatMap((row) => row.trials.filter(({ fault }) => fault.id === id));
    return blind !== undefined && trials.length > 0 && trials.every(({ loss }) => loss.most === 0);
  });
}
