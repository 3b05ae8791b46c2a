/**
 * Making the cases of a benchmark: what a case does not set has its default here.
 */

/** @typedef {import('./types.js').CaseParams} CaseParams */

/** @type {CaseParams} */
export const DEFAULT_PARAMS = Object.freeze({
  client: 'native',
  wait: 0,
  waitTimeoutMs: 1000,
  habit: 'one-flush',
  payloadBytes: 64,
  pipeline: 1,
  connections: 1,
});

/**
 * @param {Partial<CaseParams>} params
 * @returns {string} the same for the same parameters, different for different ones; fit for a file name
 */
function caseId(params) {
  const { client, wait, habit, payloadBytes, pipeline, connections, waitTimeoutMs } = { ...DEFAULT_PARAMS, ...params };
  const parts = [client, `batch${pipeline}`, `conn${connections}`, `${payloadBytes}B`];
  parts.push(wait === 0 ? 'async' : `wait${wait}`);
  if (wait > 0 && habit === 'awaited') parts.push('awaited');
  if (wait > 0 && waitTimeoutMs !== DEFAULT_PARAMS.waitTimeoutMs) parts.push(`timeout${waitTimeoutMs}ms`);
  return parts.join('-');
}

/**
 * @param {Partial<CaseParams>} params
 * @param {Partial<CaseParams>} [baseline] what the baseline sets differently; the case's cost is relative to that case
 * @returns {import('./types.js').Case}
 */
export function makeCase(params, baseline) {
  const id = caseId(params);
  const baselineId = baseline && caseId({ ...params, ...baseline });
  return {
    id,
    params: { ...DEFAULT_PARAMS, ...params },
    ...(baselineId !== undefined && baselineId !== id && { baseline: baselineId }),
  };
}
