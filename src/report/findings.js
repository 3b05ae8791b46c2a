/**
 * Findings: one sentence for each question, computed from a benchmark's numbers, with the figure, its interval and n.
 * @import { CaseResult, Finding, Result } from '../result/schema.js' @import { Suite } from '../run/types.js'
 */

import { benchmarkNamed } from './scope.js';

/** Fewer rounds cannot give a 95% interval of the median. Reports then show the range of the rounds. */
const ROUNDS_FOR_INTERVAL = 5;

/** @param {number} rounds @returns {string} the name of an interval over this number of rounds */
export function intervalName(rounds) {
  return rounds >= ROUNDS_FOR_INTERVAL ? '95% interval' : `range of ${rounds} rounds`;
}

/**
 * @param {string} id what it answers; unique within its benchmark, and the same in every run @param {string} text
 * @param {readonly (Pick<CaseResult, 'id'> | string)[]} results that the text rests on, or their ids; may name one several times
 */
export function finding(id, text, results) {
  return { id, text, evidence: [...new Set(results.map((each) => (typeof each === 'string' ? each : each.id)))] };
}

/**
 * A report shows findings of the version that makes it. Otherwise its answer and its sections could disagree about an earlier result.
 * @param {Result} result @param {readonly Suite[]} suites @returns {Result} with findings computed from its numbers
 */
export function withFindings(result, suites) {
  const options = { storages: result.storage, server: result.stack.server };
  const benchmarks = result.benchmarks.map((measured) => {
    const benchmark = benchmarkNamed(suites, measured.name);
    if (!benchmark || benchmark.askedFindings || measured.cases.length === 0) return measured;
    return { ...measured, findings: benchmark.findings?.(measured, options) ?? [] };
  });
  return { ...result, benchmarks };
}
