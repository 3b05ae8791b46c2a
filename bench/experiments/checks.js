/**
 * What failure benchmarks claim about the audits of their trials.
 *
 * @import { BenchmarkResult, CaseParams, Check } from '../../src/result/schema.js'
 * @import { Group } from '../../src/report/trials/figures.js'
 */

import { total, totalOrNull } from '../../src/audit/of-trials.js';
import { claim } from '../../src/report/checks.js';
import * as trials from '../../src/report/trials/checks.js';
import { groupsOf } from '../../src/report/trials/figures.js';
import { withoutRestarted } from '../../src/report/trials/timeline.js';
import { sum } from '../../src/stats/statistics.js';
import { USUAL_REPLICAS } from '../modes.js';
import { EXAMPLE_WRITERS, NATIVE_WRITERS, CASE_TITLES as titles } from './cases.js';

/** What every failure benchmark claims, whatever the fault. @param {BenchmarkResult} result @returns {Check[]} */
export function auditChecks(result) {
  // A finding reports what the libraries repeated.
  const writers = [...NATIVE_WRITERS, ...EXAMPLE_WRITERS];
  return [...trials.auditChecks(result, { titles, writers }), ...examplesAckTruly(result)];
}

/** What a benchmark claims in addition when a replica is promoted. @param {BenchmarkResult} result @returns {Check[]} */
export function failoverChecks(result) {
  return failoverChecksBeside({}, result);
}

/**
 * @param {Object} exceptions
 * @param {readonly string[]} [exceptions.unconfirming] settings in which the replica that is promoted may lack what it has confirmed
 * @param {(params: CaseParams) => boolean} [exceptions.undecided] of cases that may end before a replica is promoted
 * @param {BenchmarkResult} result
 * @returns {Check[]}
 */
export function failoverChecksBeside({ unconfirming = [], undecided = () => false }, result) {
  const decided = result.cases.filter(({ params }) => !undecided(params));
  return [
    ...trials.failoverWhereDue({ ...result, cases: decided }, { titles }),
    ...allConfirmed(result, unconfirming),
    ...auditChecks(result),
  ];
}

/**
 * Whichever replica is promoted, it has confirmed the write.
 * @param {BenchmarkResult} result
 * @param {readonly string[]} unconfirming
 * @returns {Check[]}
 */
function allConfirmed(result, unconfirming) {
  const cases = waitingForAll(result, unconfirming);
  // A primary that a supervisor restarted came back with what its own file held.
  const promoted = withoutRestarted(result);
  const [first] = cases;
  if (first === undefined) return [];
  const name = `nothing that WAIT ${first.params.wait} acknowledged is lost`;
  // A library may acknowledge a write by the count of another connection.
  const writers = [...NATIVE_WRITERS, ...EXAMPLE_WRITERS];
  return trials.whereMeasured({ ...promoted, cases }, { name, writers, titles }, trials.nothingAckedLost);
}

/**
 * @param {BenchmarkResult} result
 * @param {readonly string[]} unconfirming
 * @returns {BenchmarkResult['cases']} in which each replica has to confirm a write by WAIT
 */
function waitingForAll({ cases }, unconfirming) {
  return cases.filter(
    ({ params: { wait, waitLocal, replicas = USUAL_REPLICAS, setting = '' } }) =>
      waitLocal === undefined && wait >= replicas && !unconfirming.includes(setting),
  );
}

/**
 * The clients of examples/ acknowledge no write by a count that does not cover it.
 * @param {BenchmarkResult} result
 * @returns {Check[]} empty: no example sent a WAIT
 */
export function examplesAckTruly(result) {
  const groups = groupsOf(result, { writers: EXAMPLE_WRITERS, titles }).filter(
    ({ audits }) => falseAcksOf(audits) !== null,
  );
  if (groups.length === 0) return [];
  const acked = sum(groups.map(({ audits }) => total(audits, 'acked')));
  return [
    claim('false-acks', groups, {
      wrong: ({ audits }) => (falseAcksOf(audits) === 0 ? null : { claimed: falseAcksOf(audits) }),
      title: ({ title }) => title,
      well: { acked },
      tested: acked,
    }),
  ];
}

/** @param {Group['audits']} audits */
function falseAcksOf(audits) {
  return totalOrNull(audits, 'falseAcks');
}
