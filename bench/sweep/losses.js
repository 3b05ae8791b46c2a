/**
 * What a mode lost, over all faults of the decision.
 *
 * @import { DecisionRow, FaultLoss } from './decision.js'
 * @import { DecisionFault, FaultId } from './faults.js'
 */
import { count } from '../../src/report/format.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { worstLoss } from '../../src/report/trials/losses.js';
import { FAULTS } from './faults.js';

/** @typedef {{fault: DecisionFault, loss: FaultLoss}} Tested a fault that a mode was tested in */

/**
 * @param {DecisionRow} row
 * @returns {Tested[]} in the order of the faults
 */
export function testedOf({ lost }) {
  return FAULTS.flatMap((fault) => {
    const loss = lost[fault.id];
    return loss === null ? [] : [{ fault, loss }];
  });
}

/**
 * @param {readonly DecisionRow[]} rows
 * @returns {FaultId[]} faults that at least one of the modes was tested in
 */
export function testedFaults(rows) {
  return FAULTS.map(({ id }) => id).filter((id) => rows.some(({ lost }) => lost[id] !== null));
}

/**
 * @param {DecisionRow} row
 * @returns {Tested | null} the fault in which it lost most, beside those in which it lost everything; null: no such loss
 */
export function worstOf(row) {
  const losing = testedOf(row).filter(({ loss }) => loss.most > 0 && !loss.everything);
  if (losing.length === 0) return null;
  return losing.reduce((worst, each) => (each.loss.most > worst.loss.most ? each : worst));
}

/**
 * @param {DecisionRow} row
 * @returns {DecisionFault[]} in which it lost everything that was written before
 */
export function emptiedIn(row) {
  return testedOf(row).flatMap(({ fault, loss }) => (loss.everything ? [fault] : []));
}

/**
 * @param {DecisionRow} a
 * @param {DecisionRow} b
 * @returns {number} for sorting: a mode that never loses everything first, then the smaller worst loss
 */
export function saferFirst(a, b) {
  const emptied = (/** @type {DecisionRow} */ row) => Number(emptiedIn(row).length > 0);
  const size = (/** @type {DecisionRow} */ row) => worstOf(row)?.loss.most ?? 0;
  return emptied(a) - emptied(b) || size(a) - size(b);
}

/**
 * @param {readonly Tested[]} tested
 * @returns {Tested | null} the fault with the longest outage, by the median of its trials; null: nothing was tested
 */
export function longestOf(tested) {
  if (tested.length === 0) return null;
  const length = (/** @type {Tested} */ { loss }) => loss.unavailable.medianMs;
  return tested.reduce((longest, each) => (length(each) > length(longest) ? each : longest));
}

/**
 * @param {FaultLoss | null} loss
 * @returns {string} of the worst trial: `0`, `988 (988 ms)`, `all 1,501`, over several trials `988 (988 ms), 2/5`; `–`
 */
export function lossCell(loss) {
  if (loss === null) return NOT_MEASURED;
  if (!loss.everything) return worstLoss(loss);
  return `all ${count(loss.most)}${loss.trials > 1 ? `, ${loss.losing}/${loss.trials}` : ''}`;
}

/**
 * @param {Tested} tested with a loss
 * @returns {string} for a sentence: `988 acknowledged writes (988 ms, SENTINEL FAILOVER)`
 */
export function lossPhrase({ fault, loss }) {
  if (loss.everything) return `all ${count(loss.most)} writes acknowledged before the fault (${fault.title})`;
  const time = loss.seconds === null ? [] : [milliseconds(loss.seconds * 1000)];
  return `${count(loss.most)} acknowledged writes (${[...time, fault.title].join(', ')})`;
}

/**
 * Faults in which no mode lost a write, although the fault can lose some elsewhere.
 *
 * @param {readonly DecisionRow[]} rows
 * @returns {DecisionFault[]}
 */
export function blindFaults(rows) {
  return FAULTS.filter(
    ({ id, blind }) =>
      blind !== undefined &&
      rows.some(({ lost }) => lost[id] !== null) &&
      rows.every(({ lost }) => (lost[id]?.most ?? 0) === 0),
  );
}
