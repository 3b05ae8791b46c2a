/** How reports call the experiments. */
/** @import { CaseResult } from '../types.js' */
import { milliseconds } from '../../src/report/trials/figures.js';
import { variationName } from '../../src/result/variation.js';
import { variationTitle } from './cases.js';
import { findExperiment, variationsOf } from './index.js';

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
  const variations = experiment ? variationsOf(experiment) : {};
  const own = variations[variationName(params)] ?? variations[variationName({ ...params, placement: undefined })];
  const explained = own?.explained ?? experiment?.explained;
  return explained === undefined ? null : { explained, avoid: own?.avoid ?? experiment?.avoid ?? null };
}
