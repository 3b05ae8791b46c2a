/**
 * The trials behind a decision: what each mode lost in each fault, from a sweep, or from a run of the suite `failure` with the same fault.
 *
 * @import { BenchmarkResult, CaseParams, Result } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { DecisionFault } from './faults.js'
 */

import { writerTitle } from '../../src/registry/writers.js';
import { rowsOf } from '../../src/report/trials/rows.js';
import { failoversOf } from '../../src/report/trials/timeline.js';
import { OWN_WRITERS } from '../failure/cases.js';
import { FAULTS } from './faults.js';

const DOWN_AFTER = 'down-after';

/**
 * @param {Pick<Result, 'benchmarks'> | undefined} sweep
 * @param {Pick<Result, 'benchmarks'>} [failure] a run of that suite, for the faults that the sweep did not test
 * @returns {TrialRow<DecisionFault>[]} in the order of the faults
 */
export function faultTrials(sweep, failure) {
  return FAULTS.flatMap((fault) => {
    const own = sweep ? sweepTrials(fault, sweep) : [];
    return own.length > 0 || !failure ? own : failureTrials(fault, failure);
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
  const { benchmark: name, variant } = fault.scenario;
  const measured = benchmarks.find((each) => each.name === name);
  if (!measured) return [];
  const cases = measured.cases.filter(({ params }) => params.variant === variant && (params.linkLatencyMs ?? 0) === 0);
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
  const titles = { case: idOf, writer: writerTitle };
  return rowsOf({ ...telling, cases }, { writers: OWN_WRITERS, titles, fault: () => fault });
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
 * @returns {string | null} what differs from the mode itself; null: nothing
 */
export function noteOf({ waitMode, wait, waitLocal, variant, writers, downAfterMs }) {
  if (variant !== undefined)
    return variant.startsWith(DOWN_AFTER) && downAfterMs !== undefined
      ? `${DOWN_AFTER} ${downAfterMs / 1000} s`
      : variant;
  const waits = wait > 0 || waitLocal !== undefined;
  return waits && waitMode === 'sequential' && writers === undefined ? 'sequential' : null;
}
