/**
 * What rounds with an application's traffic over a replication link share: the mix of requests, a replica behind a path, and a clean start.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startTraffic } from '../../src/load/traffic.js';
import { makeCase } from '../../src/run/case.js';
import { follow, followNobody, untilStreaming } from '../../src/stacks/redis/replication.js';
import { openPath, whyNoPath } from './paths/open.js';

/**
 * @import { Traffic } from '../../src/load/traffic.js'
 * @import { CaseParams, CaseResult, RoundResult } from '../../src/result/schema.js'
 * @import { Benchmark, Case, RoundSite } from '../../src/run/types.js'
 * @import { Control } from '../../src/stacks/redis/control.js'
 * @import { Path, Tunnel } from './paths/types.js'
 */

/**
 * @typedef {Object} Ends control connections to both ends of the link
 * @property {Control} primary
 * @property {Control} replica
 */

/**
 * The article's mix. Two idle cores carry it beside a server, a replica and both ends of a tunnel. The rate is the same in every case,
 * so that cases are comparable.
 */
export const MIX = Object.freeze({ writeShare: 0.62, rate: 30_000, payloadBytes: 16, keyspace: 20_000 });
/** Requests that leave together: pipelines, as the article's application uses them. */
const BATCH = 10;
const CONNECTIONS = 4;

/**
 * @param {string} id of the case
 * @param {Partial<CaseParams> & {pattern: NonNullable<CaseParams['pattern']>}} params besides the mix
 * @returns {Case} with one replica
 */
export function mixCase(id, params) {
  const { params: complete } = makeCase({ ...MIX, replicas: 1, connections: CONNECTIONS, pipeline: BATCH, ...params });
  return { id, params: complete };
}

/**
 * What a case's link needs and this machine lacks.
 *
 * @type {NonNullable<Benchmark['whyNotCase']>}
 */
async function whyNotThisPath({ params }, cluster) {
  const shaped = params.linkShare !== undefined || params.linkLatencyMs !== undefined;
  return whyNoPath({ tunnel: tunnelOf(params), shaped }, cluster);
}

/**
 * What every benchmark of a link declares: a stack of its own without Sentinels, which would point the replica at the primary's own
 * address instead of the path.
 *
 * @satisfies {Partial<Benchmark>}
 */
export const ON_A_PATH = Object.freeze({
  needs: /** @type {Benchmark['needs']} */ (['stop', 'configure']),
  kind: /** @type {const} */ ('custom'),
  stacks: { sentinels: /** @type {const} */ (false), settings: { 'min-replicas-to-write': '0', save: '' } },
  whyNotCase: whyNotThisPath,
});

/**
 * @param {CaseParams} params
 * @returns {Tunnel}
 */
export function tunnelOf({ tunnel = 'none' }) {
  return /** @type {Tunnel} */ (tunnel);
}

/**
 * @param {RoundSite} site
 * @param {(on: {path: Path, ends: Ends}) => Promise<RoundResult>} work begins with empty nodes and the replica
 *   in sync
 * @returns {Promise<RoundResult>} settles when the path is closed and the replica is a primary again
 */
export async function onPath({ bench, theCase: { params }, now }, work) {
  const { cluster, signal } = bench;
  const { primary, replica } = nodesOf(bench);
  const ends = { primary: controlOf(bench, primary.id), replica: controlOf(bench, replica.id) };
  await followNobody(ends.replica);
  await ends.primary.call('FLUSHALL');
  now(`opening the path (${params.tunnel})`);
  const path = await openPath(cluster, {
    replica,
    primary,
    tunnel: tunnelOf(params),
    signal,
    ...(params.restartAfterMs !== undefined && { restartAfterMs: params.restartAfterMs }),
  });
  try {
    await follow(ends.replica, path.address);
    await untilStreaming(ends.primary, ends.replica, signal);
    return await work({ path, ends });
  } finally {
    // Else it would go on dialling the closed path. A failure here does not hide an earlier one: the next round repeats the command.
    await followNobody(ends.replica).catch(() => {});
    await path.close();
  }
}

/**
 * @template T
 * @param {RoundSite} site
 * @param {(traffic: Traffic) => Promise<T>} work while the requests leave, until it stops them
 * @returns {Promise<T>} settles when the thread has ended
 */
export async function withTraffic({ bench, theCase: { params } }, work) {
  const { cluster, random } = bench;
  const { primary } = nodesOf(bench);
  const traffic = await startTraffic({
    target: { ...primary.address, credentials: cluster.credentials },
    // The stack is ours and empty. A prefix would only make every key longer, and easier to compress.
    keyPrefix: '',
    pattern: params.pattern ?? 'regular',
    keys: params.keyspace ?? MIX.keyspace,
    payloadBytes: params.payloadBytes,
    writeShare: params.writeShare ?? MIX.writeShare,
    requestsPerSecond: params.rate ?? MIX.rate,
    connections: params.connections,
    batch: params.pipeline,
    seed: Math.floor(random() * 2 ** 32),
  });
  try {
    return await work(traffic);
  } finally {
    await traffic.close();
  }
}

/**
 * @param {number} ms from now, on `performance`’s clock
 * @param {AbortSignal} signal rejects with its reason
 */
export async function pass(ms, signal) {
  try {
    await delay(Math.max(0, ms), undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** @param {RoundSite['bench']} bench */
export function nodesOf({ primary, replicas = [] }) {
  const [replica] = replicas;
  if (!primary || !replica) throw new Error('a link takes a primary and a replica');
  return { primary, replica };
}

/**
 * @param {RoundSite['bench']} bench
 * @param {string} id
 */
function controlOf({ controls }, id) {
  const control = controls.get(id);
  if (!control) throw new Error(`no control connection to ${id}`);
  return control;
}

/**
 * @param {Pick<CaseResult, 'params'>} result
 * @returns {string} such as `ssh -C`, `zstd level 5`
 */
export function tunnelName({ params: { tunnel = 'none' } }) {
  return tunnel.replace(/^zstd-(\d+)$/, 'zstd level $1').replace(/^ssh-C$/, 'ssh -C');
}
