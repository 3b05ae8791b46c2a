/**
 * How reports call the experiments, and their trials as rows of tables.
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 */
import { milliseconds } from '../../src/report/trials/figures.js';
import { rowsOf } from '../../src/report/trials/rows.js';
import { variationName } from '../../src/result/variation.js';
import { MODE_TITLES, variationTitle, withoutLength } from './cases.js';
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

/** @param {Partial<CaseResult['params']> & {experiment: string}} subject @returns what its title does not say, and what to do; null: nothing */
export function explainedFault({ experiment: id, ...params }) {
  const experiment = findExperiment(id);
  const own = experiment && variationsOf(experiment)[variationName({ ...params, placement: undefined })];
  const explained = own?.explained ?? experiment?.explained;
  return explained === undefined ? null : { explained, avoid: own?.avoid ?? experiment?.avoid ?? null };
}

/** @param {BenchmarkResult} benchmark @param {Pick<CaseResult, 'params'>} one @returns {string} the same for every length of the fault */
export function faultTitle({ name }, { params }) {
  return scenarioTitle(name, withoutLength(params));
}

/** @param {readonly string[]} shown titles of faults @returns what each of them does to the primary, if its title does not explain it */
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

/** @param {BenchmarkResult} benchmark of each writer in each case, by the titles of the scenarios and modes */
export function writerRows(benchmark) {
  const fault = (/** @type {CaseResult['params']} */ params) => {
    const title = scenarioTitle(benchmark.name, params);
    return { id: title, title };
  };
  return rowsOf(benchmark, { titles: MODE_TITLES, each: true, fault });
}
