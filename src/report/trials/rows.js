/**
 * The model of trials: a row for each mode in each fault, with what it lost and how long writes stopped. Suites give titles and choose rows.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult } from '../../result/schema.js'
 * @import { Choice } from './figures.js'
 * @import { Unavailable } from '../../audit/of-trials.js'
 * @import { Loss } from '../../audit/losses.js'
 * @import { EndlessCause } from '../../audit/outages.js'
 */

import { outageOf } from '../../audit/judgement.js';
import { lossOf } from '../../audit/losses.js';
import { byTrial, unavailableOf } from '../../audit/of-trials.js';
import { endedByHarness, endlessCause, otherRefusals } from '../../audit/outages.js';
import { groupsOf, PLAIN_TITLES } from './figures.js';

/** @typedef {{id: string, title: string}} FaultName */

/**
 * @template {FaultName} [F=FaultName]
 * @typedef {Object} TrialRow
 * @property {F} fault
 * @property {string} mode title of the case
 * @property {string} writer title; empty: several writers together, of each trial the one that fared worst
 * @property {Loss} loss
 * @property {Unavailable} outage
 * @property {boolean} untilHealed the outage ended when the harness ended the fault
 * @property {EndlessCause | null} endless why it lasted to the end; null: it ended in every trial
 * @property {string | null} refused the most frequent error where writes were refused for another reason than the fault, so the outage is not that of a failover; null: none
 * @property {BenchmarkResult} benchmark
 * @property {CaseResult} one its case
 */

/**
 * @template {FaultName} [F=FaultName]
 * @param {BenchmarkResult} benchmark
 * @param {Choice & {each?: boolean, fault?: (params: CaseParams) => F}} [options] each: a row for each writer; default: one for each
 *   case. fault: default: the name of the benchmark
 * @returns {TrialRow<F>[]} in the order of the cases; cases without an acknowledged write have none
 */
export function rowsOf(benchmark, { titles = PLAIN_TITLES, each = false, fault, ...choice } = {}) {
  const unnamed = /** @type {F} */ ({ id: benchmark.name, title: benchmark.name });
  const groups = groupsOf(benchmark, choice);
  const parts = each
    ? groups.map((group) => [group])
    : benchmark.cases.map((one) => groups.filter((group) => group.case === one)).filter((part) => part.length > 0);
  return parts.flatMap((part) => {
    const [{ case: one, writer }] = part;
    const audits = part.flatMap((group) => group.audits);
    const loss = lossOf(benchmark, one, audits);
    if (loss === null) return [];
    const longest = byTrial(audits).map((writers) =>
      writers.reduce((worst, audit) => (outageOf(audit) > outageOf(worst) ? audit : worst)),
    );
    return {
      fault: fault?.(one.params) ?? unnamed,
      mode: titles.case(one.params),
      writer: part.length === 1 ? titles.writer(writer) : '',
      loss,
      benchmark,
      one,
      outage: unavailableOf(longest),
      untilHealed: endedByHarness(benchmark, one, longest),
      endless: endlessCause(benchmark, one, longest),
      refused: otherRefusals(benchmark, one, longest),
    };
  });
}
