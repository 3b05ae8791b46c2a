/** What failure benchmarks claim about the audits of their trials. */
/** @import { BenchmarkResult, Check, Titles, TrialBenchmark } from '../types.js' */
/** @import { Group } from '../../src/report/trials/figures.js' */
import { total, totalOrNull } from '../../src/audit/of-trials.js';
import { claim } from '../../src/report/checks.js';
import * as trials from '../../src/report/trials/checks.js';
import { groupsOf } from '../../src/report/trials/figures.js';
import { withoutRestarted } from '../../src/report/trials/timeline.js';
import { sum } from '../../src/stats/statistics.js';
import { USUAL_REPLICAS } from '../modes.js';
import { EXAMPLE_WRITERS, NATIVE_WRITERS, CASE_TITLES as titles } from './cases.js';

/** @typedef {NonNullable<TrialBenchmark['needsFailover']>} Due in which cases a replica has to be promoted */

/** Others may send a write again, which is refused although it was applied. */
const CONFIRMING = [...NATIVE_WRITERS, ...EXAMPLE_WRITERS];

/** What every failure benchmark claims, whatever the fault. @param {BenchmarkResult} result */
export function auditChecks(result) {
  return [...trials.auditChecks(result, { titles, writers: CONFIRMING }), ...examplesAckTruly(result)];
}

/**
 * What a benchmark claims in addition when a replica is promoted.
 * @param {BenchmarkResult} result
 * @param {{due?: Due, unconfirming?: readonly string[]}} [how] unconfirming: settings in which the replica that is promoted may lack what it has
 *   confirmed
 * @returns {Check[]}
 */
export function failoverChecks(result, { due = true, unconfirming = [] } = {}) {
  return [
    ...trials.failoverWhereDue(casesDue(result, due), { titles }),
    ...allConfirmed(result, unconfirming),
    ...auditChecks(result),
  ];
}

/** For suites that compare writers or servers. @param {{titles: Titles, writers?: readonly string[], due: Due}} how @returns {TrialBenchmark['checks']} */
export function checksBy({ titles, writers = NATIVE_WRITERS, due }) {
  return (result) => [
    ...(due ? [trials.failoverHappened(casesDue(result, due), { titles })] : []),
    ...trials.auditChecks(result, { titles, writers }),
  ];
}

/** @param {BenchmarkResult} result @param {Due} due */
function casesDue(result, due) {
  return { ...result, cases: result.cases.filter(({ params }) => (typeof due === 'function' ? due(params) : due)) };
}

/** Whichever replica is promoted, it has confirmed the write. @param {BenchmarkResult} result @param {readonly string[]} unconfirming */
function allConfirmed(result, unconfirming) {
  const cases = result.cases.filter(
    ({ params: { wait, waitLocal, replicas = USUAL_REPLICAS, setting = '' } }) =>
      waitLocal === undefined && wait >= replicas && !unconfirming.includes(setting),
  );
  if (cases.length === 0) return [];
  const name = `nothing that WAIT ${cases[0].params.wait} acknowledged is lost`;
  // A primary that a supervisor restarted came back with what its own file held.
  const promoted = { ...withoutRestarted(result), cases };
  return trials.whereMeasured(promoted, { name, writers: CONFIRMING, titles }, trials.nothingAckedLost);
}

/** The clients of examples/ acknowledge no write by a count that does not cover it. @param {BenchmarkResult} result @returns {Check[]} */
export function examplesAckTruly(result) {
  const groups = groupsOf(result, { writers: EXAMPLE_WRITERS, titles }).filter((group) => falseAcksOf(group) !== null);
  if (groups.length === 0) return [];
  const acked = sum(groups.map(({ audits }) => total(audits, 'acked')));
  return [
    claim('false-acks', groups, {
      wrong: (group) => (falseAcksOf(group) === 0 ? null : { claimed: falseAcksOf(group) }),
      title: ({ title }) => title,
      well: { acked },
      tested: acked,
    }),
  ];
}

/** @param {Group} group */
const falseAcksOf = ({ audits }) => totalOrNull(audits, 'falseAcks');
