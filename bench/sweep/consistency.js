/**
 * Do a configuration sweep and a run of the suite `failure` agree? Both measure the same faults with the same modes.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { Loss } from '../../src/report/trials/losses.js'
 * @import { DecisionFault, FaultId } from './faults.js'
 */

import { proportionInterval } from '../../src/stats/statistics.js';
import { FAULTS } from './faults.js';
import { failureTrials, sweepTrials } from './trials.js';

/** A longer loss has a cause, such as two primaries. A shorter one may be what was under way, which is chance. */
const CHANCE_SECONDS = 0.1;
/** Such a loss in at least this share of the trials is the rule. */
const RULE = 0.5;

/**
 * @typedef {Object} Compared one mode in one fault that both runs have
 * @property {FaultId} fault
 * @property {string} mode its id
 * @property {Loss} sweep
 * @property {Loss} failure
 * @property {boolean} consistent
 */

/**
 * @param {Pick<Result, 'benchmarks'>} sweep
 * @param {Pick<Result, 'benchmarks'>} failure
 * @returns {Compared[]} every mode and fault that both have, in the order of the faults
 */
export function compareLosses(sweep, failure) {
  return FAULTS.flatMap((fault) => {
    const [swept, failed] = atSameLengths(fault, [sweep, failure]);
    const theirs = failureTrials(fault, failed);
    return sweepTrials(fault, swept).flatMap(({ mode, loss, one }) => {
      const other = theirs.find((row) => row.mode === mode)?.loss;
      return other && (one.params.linkLatencyMs ?? 0) === 0
        ? [{ fault: fault.id, mode, sweep: loss, failure: other, consistent: agree(loss, other) }]
        : [];
    });
  });
}

/**
 * A fault loses more at one length than at another, and a larger profile tries more lengths.
 *
 * @param {DecisionFault} fault
 * @param {readonly Pick<Result, 'benchmarks'>[]} runs
 * @returns {Pick<Result, 'benchmarks'>[]} with the lengths of the fault that each run has
 */
function atSameLengths({ benchmark, scenario, lengths }, runs) {
  if (lengths === undefined) return [...runs];
  const isOf = (/** @type {string} */ name) => name === benchmark || name === scenario.benchmark;
  const variants = runs.map(
    ({ benchmarks }) =>
      new Set(
        benchmarks.filter(({ name }) => isOf(name)).flatMap(({ cases }) => cases.map(({ params }) => params.variant)),
      ),
  );
  return runs.map(({ benchmarks }) => ({
    benchmarks: benchmarks.map((each) =>
      isOf(each.name)
        ? { ...each, cases: each.cases.filter(({ params }) => variants.every((some) => some.has(params.variant))) }
        : each,
    ),
  }));
}

/**
 * Two measurements disagree when the exact 95% intervals of their frequencies of a loss do not overlap, or when one lost nothing in any
 * trial and the other lost more than chance explains in half of its trials. One trial each is enough for the second.
 *
 * @param {Loss} a
 * @param {Loss} b
 * @returns {boolean}
 */
function agree(a, b) {
  const [one, other] = [a, b].map(({ losing, trials }) => proportionInterval(losing, trials));
  const overlap = one.low <= other.high && other.low <= one.high;
  return overlap && !(isNone(a) && isRule(b)) && !(isNone(b) && isRule(a));
}

/** @param {Loss} loss */
function isNone({ losing }) {
  return losing === 0;
}

/** @param {Loss} loss */
function isRule({ each, most, seconds, trials }) {
  if (seconds === null || most === 0) return false;
  const long = each.filter(({ lost }) => (lost * seconds) / most > CHANCE_SECONDS).length;
  return long >= RULE * trials;
}
