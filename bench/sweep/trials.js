/**
 * The trials behind a decision: what each mode lost in each fault, from a sweep, or from a run of the suite `failure` with the same fault.
 *
 * @import { BenchmarkResult, CaseParams, Result } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { DecisionFault } from '../experiments/decision-faults.js'
 */

import { writerTitle } from '../../src/registry/writers.js';
import { largestFirst, rowsOf } from '../../src/report/trials/rows.js';
import { failoversOf } from '../../src/report/trials/timeline.js';
import { variationName } from '../../src/result/variation.js';
import { NATIVE_WRITERS } from '../experiments/cases.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { askedIn, COLOCATED } from '../experiments/placement.js';

const DOWN_AFTER = 'down-after';

/**
 * @param {Pick<Result, 'benchmarks'> | undefined} sweep
 * @param {Pick<Result, 'benchmarks'>} [failure] a run of that suite, for the faults that the sweep did not test
 * @returns {TrialRow<DecisionFault>[]} in the order of the faults
 */
export function faultTrials(sweep, failure) {
  return FAULTS.flatMap((fault) => {
    const fromSweep = sweep ? sweepTrials(fault, sweep) : [];
    return fromSweep.length > 0 || !failure ? fromSweep : failureTrials(fault, failure);
  });
}

/**
 * @param {DecisionFault} fault
 * @param {Pick<Result, 'benchmarks'>} result with a sweep
 * @returns {TrialRow<DecisionFault>[]} of the native client; mode: the id of the configuration
 */
export function sweepTrials(fault, { benchmarks }) {
  const measured = benchmarks.find(({ name }) => name === fault.benchmark);
  return measured ? rowsIn(fault, measured, configurationOf) : [];
}

/**
 * @param {DecisionFault} fault
 * @param {Pick<Result, 'benchmarks'>} result of the suite `failure`
 * @returns {TrialRow<DecisionFault>[]} of the native client on links that were not slowed; mode: the id of the configuration
 */
export function failureTrials(fault, { benchmarks }) {
  const { lengths } = fault;
  const { benchmark: name, way } = fault.scenario;
  const measured = benchmarks.find((each) => each.name === name);
  if (!measured) return [];
  const isOf = (/** @type {CaseParams} */ params) =>
    lengths === undefined ? variationName(params) === (way ?? '') : params.length !== undefined;
  const cases = measured.cases.filter(({ params }) => isOf(params) && (params.linkLatencyMs ?? 0) === 0);
  return rowsIn(fault, { ...measured, cases }, ({ mode = '' }) => mode);
}

/**
 * @param {DecisionFault} fault
 * @param {BenchmarkResult} measured
 * @param {(params: CaseParams) => string} idOf
 * @returns {TrialRow<DecisionFault>[]}
 */
function rowsIn(fault, measured, idOf) {
  const cases = measured.cases.filter(({ params }) => params.mode !== undefined);
  const telling = fault.promotes ? failoversOf(measured) : measured;
  // A placement that the user asked for is that of the fault.
  const placement = askedIn(measured.cases);
  const asked = placement === undefined ? {} : { placement: undefined };
  const titles = { case: (/** @type {CaseParams} */ params) => idOf({ ...params, ...asked }), writer: writerTitle };
  const rows = rowsOf({ ...telling, cases }, { writers: NATIVE_WRITERS, titles, fault: () => fault });
  return fault.lengths === undefined ? rows : worstLengths(rows);
}

/**
 * @param {TrialRow<DecisionFault>[]} rows of one fault, one for each mode and length
 * @returns {TrialRow<DecisionFault>[]} of each mode the length with the largest loss, and of these the one with the longest outage
 */
function worstLengths(rows) {
  const isWorse = (/** @type {TrialRow} */ a, /** @type {TrialRow} */ b) =>
    largestFirst(a, b) < 0 || (largestFirst(a, b) === 0 && a.outage.medianMs > b.outage.medianMs);
  return rows.filter((row, i) =>
    rows.every(
      (other, j) => other.mode !== row.mode || j === i || isWorse(row, other) || (!isWorse(other, row) && i < j),
    ),
  );
}

/**
 * @param {CaseParams} params of a case of the sweep
 * @returns {string} id of the configuration
 */
export function configurationOf(params) {
  return [params.mode, noteOf(params)].filter((part) => part !== null).join(', ');
}

/**
 * @param {CaseParams} params
 * @returns {string | null} what differs from the mode itself; null: nothing. A length belongs to the fault
 */
export function noteOf({ waitMode, wait, waitLocal, placement, setting, way, writers, downAfterMs }) {
  const variation = variationName({ setting, way, ...(placement === COLOCATED && { placement }) });
  if (variation !== '')
    return setting?.startsWith(DOWN_AFTER) && downAfterMs !== undefined
      ? `${DOWN_AFTER} ${downAfterMs / 1000} s`
      : variation;
  const waits = wait > 0 || waitLocal !== undefined;
  return waits && waitMode === 'sequential' && writers === undefined ? 'sequential' : null;
}
