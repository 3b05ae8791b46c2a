/**
 * What rounds have in common that send an application's traffic over a replication link: the mix of requests, a replica behind a
 * path, and beginning from whatever the round before has left.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openPath, whyNoPath } from '../link/open.js';
import { startTraffic } from '../load/traffic.js';
import { makeCase } from './case.js';
import { follow, followNobody, untilStreaming } from './replication.js';

/**
 * @typedef {import('./types.js').RoundSite} RoundSite
 * @typedef {import('./types.js').CaseParams} CaseParams
 * @typedef {import('../cluster/control.js').Control} Control
 * @typedef {import('../link/types.js').Path} Path
 *
 * @typedef {Object} Ends control connections to both ends of the link
 * @property {Control} primary
 * @property {Control} replica
 */

/**
 * The article's mix. Two cores that have nothing else to do carry it beside a server, a replica and both ends of a tunnel; the same
 * rate for every case is what makes them comparable.
 */
export const MIX = Object.freeze({ writeShare: 0.62, rate: 30_000, payloadBytes: 16, keyspace: 20_000 });
/** Requests that leave together: pipelines, as the article's application uses them. */
const BATCH = 10;
const CONNECTIONS = 4;

/**
 * @param {string} id of the case
 * @param {Partial<CaseParams> & {pattern: NonNullable<CaseParams['pattern']>}} params what it sets besides the mix
 * @returns {import('./types.js').Case} with one replica
 */
export function mixCase(id, params) {
  const { params: complete } = makeCase({ ...MIX, replicas: 1, connections: CONNECTIONS, pipeline: BATCH, ...params });
  return { id, params: complete };
}

/**
 * Why a case cannot be measured here: something that its link takes is missing.
 *
 * @type {NonNullable<import('./types.js').Benchmark['whyNotCase']>}
 */
async function whyNotThisPath({ params }, cluster) {
  const shaped = params.linkShare !== undefined || params.linkLatencyMs !== undefined;
  return whyNoPath({ tunnel: tunnelOf(params), shaped }, cluster);
}

/**
 * What every benchmark of a link declares: its nodes are its own, without Sentinels, which would make the replica follow the
 * primary's own address instead of the path.
 *
 * @satisfies {Partial<import('./types.js').Benchmark>}
 */
export const ON_A_PATH = Object.freeze({
  needs: /** @type {import('./types.js').Benchmark['needs']} */ (['stop', 'configure']),
  generator: /** @type {const} */ ('own'),
  ownStacks: true,
  withoutSentinels: true,
  stackSettings: { 'min-replicas-to-write': '0', save: '' },
  whyNotCase: whyNotThisPath,
});

/**
 * @param {CaseParams} params
 * @returns {import('../link/types.js').Tunnel}
 */
export function tunnelOf({ tunnel = 'none' }) {
  return /** @type {import('../link/types.js').Tunnel} */ (tunnel);
}

/**
 * @param {RoundSite} site
 * @param {(on: {path: Path, ends: Ends}) => Promise<import('./types.js').RoundResult>} work begins with empty nodes, the replica in
 *   sync and what is written on its way to it at once
 * @returns {Promise<import('./types.js').RoundResult>} settles when the path is closed and the replica follows nobody
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
    // Else it would go on dialling what is not there any more. One that does not answer is told again before the next round, and what
    // failed before is what the result has to tell.
    await followNobody(ends.replica).catch(() => {});
    await path.close();
  }
}

/**
 * @template T
 * @param {RoundSite} site
 * @param {(traffic: import('../load/traffic-types.js').Traffic) => Promise<T>} work while the requests leave, until it stops them
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
