/**
 * The trials of experiments as rows of tables, and how reports call the experiments.
 *
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */

import { milliseconds } from '../../src/report/trials/figures.js';
import { largestFirst } from '../../src/report/trials/rows.js';
import { variationName } from '../../src/result/variation.js';
import { MODE_TITLES, trialRows, variationTitle, withoutLength } from './cases.js';
import { EXPERIMENTS, findExperiment, variationsOf } from './index.js';

/**
 * @param {string} benchmark its name
 * @param {Partial<CaseResult['params']>} [params] of a case: its variation and link belong to the title
 * @returns {string} the same as of the fault in the sweep: `network partition`, `failover by runbook`
 */
export function scenarioTitle(benchmark, { linkLatencyMs = 0, ...params } = {}) {
  const experiment = findExperiment(benchmark);
  const own = experiment && variationsOf(experiment)[variationName({ ...params, placement: undefined })]?.fault;
  const variation = variationTitle(own === undefined ? params : { placement: params.placement });
  const parts = [own ?? experiment?.title ?? benchmark, ...(variation === '' ? [] : [variation])];
  return [...parts, ...(linkLatencyMs > 0 ? [`link ${milliseconds(linkLatencyMs)}`] : [])].join(', ');
}

/**
 * @param {Partial<CaseResult['params']> & {experiment: string}} subject
 * @returns {{explained: string, avoid: string | null} | null} what a reader may not guess from the title, and what to do about it; null: nothing
 */
export function explainedFault({ experiment: id, ...params }) {
  const experiment = findExperiment(id);
  const own = experiment && variationsOf(experiment)[variationName({ ...params, placement: undefined })];
  const explained = own?.explained ?? experiment?.explained;
  return explained === undefined ? null : { explained, avoid: own?.avoid ?? experiment?.avoid ?? null };
}

/**
 * The rows of answers. Where a fault was tried at several lengths, the one with the largest loss counts. Without stacks of five data nodes, where a mode
 * means something else.
 * @param {readonly BenchmarkResult[]} failures
 * @returns {TrialRow[]} of the native client, one for each mode in each fault
 */
export function worstRows(failures) {
  const rows = failures
    .filter(({ name }) => name !== 'topology')
    .flatMap((benchmark) => scenarioRows(benchmark, { fault: (params) => faultIn(benchmark, withoutLength(params)) }));
  /** @type {Map<string, TrialRow>} */
  const worst = new Map();
  for (const row of rows) {
    const key = `${row.fault.id}: ${row.mode}`;
    const known = worst.get(key);
    if (!known || largestFirst(row, known) < 0) worst.set(key, row);
  }
  return [...worst.values()];
}

/**
 * @param {readonly string[]} shown titles of faults
 * @returns {{name: string, text: string}[]} what each of them does to the primary; those that their titles explain have none
 */
export function explainedScenarios(shown) {
  return EXPERIMENTS.flatMap((experiment) => {
    const { title, explained } = experiment;
    const named =
      experiment.id === 'sentinels-lost'
        ? shown.filter((each) => / Sentinels? lost/.test(each))
        : shown.filter((each) => each === title || each.startsWith(`${title}, by `));
    return explained === undefined || named.length === 0 ? [] : [{ name: named.join('; '), text: explained }];
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Parameters<typeof trialRows>[1]} [options]
 * @returns {TrialRow[]} of the native client, by the titles of the scenarios and modes
 */
export function scenarioRows(benchmark, options) {
  return trialRows(benchmark, { titles: MODE_TITLES, fault: (params) => faultIn(benchmark, params), ...options });
}

/** @param {BenchmarkResult} benchmark @param {Partial<CaseResult['params']>} params */
function faultIn({ name }, params) {
  const title = scenarioTitle(name, params);
  return { id: title, title };
}
