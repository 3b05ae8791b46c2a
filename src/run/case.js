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
 * @param {Partial<CaseParams>} params what is undefined has its default
 * @returns {CaseParams}
 */
function complete(params) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_PARAMS, ...Object.fromEntries(given) };
}

/**
 * @param {CaseParams} params
 * @returns {string} the same for the same parameters, different for different ones; fit for a file name
 */
function caseId({
  client,
  wait,
  habit,
  payloadBytes,
  pipeline,
  connections,
  waitTimeoutMs,
  backgroundConnections,
  rate,
}) {
  const parts = [client, `batch${pipeline}`, `conn${connections}`, `${payloadBytes}B`];
  parts.push(wait === 0 ? 'async' : `wait${wait}`);
  if (wait > 0 && habit === 'awaited') parts.push('awaited');
  if (wait > 0 && waitTimeoutMs !== DEFAULT_PARAMS.waitTimeoutMs) parts.push(`timeout${waitTimeoutMs}ms`);
  if (backgroundConnections) parts.push(`background${backgroundConnections}`);
  if (rate !== undefined) parts.push(`${rate}ps`);
  return parts.join('-');
}

/**
 * @param {Partial<CaseParams>} params
 * @param {Partial<CaseParams>} [baseline] what the baseline sets differently; the case's cost is relative to that case
 * @returns {import('./types.js').Case}
 */
export function makeCase(params, baseline) {
  const own = complete(params);
  const id = caseId(own);
  const baselineId = baseline && caseId({ ...own, ...baseline });
  return { id, params: own, ...(baselineId !== undefined && baselineId !== id && { baseline: baselineId }) };
}

/**
 * @param {import('./types.js').BenchmarkResult} benchmark
 * @param {Partial<CaseParams>} params
 * @returns {import('./types.js').CaseResult | undefined} the first case that has all of them
 */
export function findCase({ cases }, params) {
  const wanted = /** @type {[keyof CaseParams, unknown][]} */ (Object.entries(params));
  return cases.find((result) => wanted.every(([name, value]) => result.params[name] === value));
}
