/**
 * The cases of a benchmark, with defaults for parameters that a case does not set; and what they say about a load.
 * @import { Shape } from '../clients/types.js'
 * @import { CaseParams } from '../result/schema.js'
 * @import { Control, Stack } from '../stacks/types.js'
 */
import { idPart } from '../registry/clients.js';

/** @type {CaseParams} */
export const DEFAULT_PARAMS = Object.freeze({
  client: 'native',
  wait: 0,
  waitTimeoutMs: 1000,
  waitMode: 'pipelined',
  payloadBytes: 64,
  pipeline: 1,
  connections: 1,
});

/** @param {Partial<CaseParams>} params undefined: the default */
function complete(params) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_PARAMS, ...Object.fromEntries(given) };
}

/**
 * Names only what a case sets, so that the ids of older cases stay the same.
 * @param {CaseParams} params @returns {string} the same for the same parameters, different for different ones; fit for a file name
 */
function caseId(params) {
  const { client, payloadBytes, pipeline, connections, backgroundConnections, rate, grouping, mode } = params;
  const { operation, readFrom, during, replicas, storage, replicaStorage, preloadKeys, linkLatencyMs } = params;
  const parts = [
    idPart(client),
    `batch${pipeline}`,
    `conn${connections}`,
    `${payloadBytes}B`,
    ...durabilityParts(params),
    grouping,
    Boolean(backgroundConnections) && `background${backgroundConnections}`,
    rate !== undefined && `${rate}ps`,
    mode,
    operation,
    readFrom && `from-${readFrom}`,
    during && `during-${during}`,
    replicas !== undefined && `${replicas}replicas`,
    storage !== undefined && `on-${storage}`,
    replicaStorage !== undefined && `replicas-on-${replicaStorage}`,
    preloadKeys !== undefined && `preload${preloadKeys}`,
    linkLatencyMs !== undefined && `link${linkLatencyMs}ms`,
  ];
  return parts.filter((part) => typeof part === 'string').join('-');
}

/** @param {CaseParams} params */
function durabilityParts({ wait, waitLocal, waitMode, waitTimeoutMs }) {
  if (wait === 0 && waitLocal === undefined) return ['async'];
  return [
    waitLocal === undefined ? `wait${wait}` : `waitaof${waitLocal}-${wait}`,
    waitMode === 'sequential' && waitMode,
    waitTimeoutMs !== DEFAULT_PARAMS.waitTimeoutMs && `timeout${waitTimeoutMs}ms`,
  ];
}

/**
 * @param {Partial<CaseParams>} params
 * @param {Partial<CaseParams>} [baseline] what the baseline sets differently; the cost of the case is relative to the baseline
 */
export function makeCase(params, baseline) {
  const all = complete(params);
  const id = caseId(all);
  const baselineId = baseline && caseId({ ...all, ...baseline });
  return { id, params: all, ...(baselineId !== undefined && baselineId !== id && { baseline: baselineId }) };
}

/** @param {Omit<Shape, 'keyPrefix' | 'waitReplicas'> & {wait: number, grouping?: string}} params @param {string} keyPrefix @returns {Shape} */
export function shapeOf({ payloadBytes, pipeline, wait, waitLocal, waitTimeoutMs, waitMode, grouping }, keyPrefix) {
  return {
    payloadBytes,
    pipeline,
    waitReplicas: wait,
    ...(waitLocal !== undefined && { waitLocal }),
    waitTimeoutMs,
    waitMode,
    ...(grouping === 'multi' && { transaction: true }),
    keyPrefix,
  };
}

/**
 * @param {Stack} stack @param {Control} control of the primary
 * @returns {Promise<Record<string, string>>} settings in force that change what a failure costs; empty: none, a stack of this run, or the
 *   user may not read them
 */
export async function readOwn({ about: { backend, endsWithRun }, can, database }, control) {
  if (backend !== 'external' || endsWithRun || !can.has('configure')) return {};
  return database.settings.ownOf?.(await database.configuration(control)) ?? {};
}

/**
 * @param {CaseParams} params of a case that was measured there
 * @param {Readonly<Record<string, string>>} own read before the case or during it
 * @returns {CaseParams} with those that the case has not set itself
 */
export function withOwn(params, own) {
  const beside = Object.entries(own).filter(([name]) => params.settings?.[name] === undefined);
  return beside.length === 0 ? params : { ...params, ownSettings: Object.fromEntries(beside) };
}
