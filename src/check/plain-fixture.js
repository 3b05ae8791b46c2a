/** For tests only: a deployment as plain data. */
import { silentNode, silentSentinel } from './parse.js';

/** @import { Deployment, CheckedNode } from './types.js' */

/** Bytes a second that the primary sends. */
export const RATE = 1000;

/**
 * @param {{sentinelsOn?: readonly number[], nodes?: readonly Partial<CheckedNode>[], quorum?: number, downAfter?: number, away?: readonly number[],
 *   settings?: Record<string, string>} & Partial<Pick<CheckedNode, 'minReplicas' | 'aof' | 'saved'>>} [how] sentinelsOn: numbers of machines; away: Sentinels that do
 *   not answer
 * @returns {Deployment} three nodes on machines 1 to 3, the primary on 1
 */
export function plainDeployment({
  sentinelsOn = [1, 2, 3],
  nodes = [{}, {}, {}],
  quorum = 2,
  downAfter = 30,
  away = [],
  settings = {},
  ...all
} = {}) {
  const address = (/** @type {number} */ machine, /** @type {number} */ port) => ({ host: `m${machine}`, port });
  const ids = nodes.map((_, index) => `m${index + 1}:6379`);
  const made = nodes.map((own, index) => ({
    ...silentNode(address(index + 1, 6379), ''),
    why: null,
    runId: String(index),
    role: /** @type {'primary' | 'replica'} */ (index === 0 ? 'primary' : 'replica'),
    follows: index === 0 ? null : ids[0],
    followers: index === 0 ? ids.slice(1) : [],
    linkUp: true,
    offset: 100_000,
    hidden: [],
    deniedToSentinel: [],
    minReplicas: 0,
    bytesPerSecond: RATE,
    ...all,
    ...own,
    settings: { save: '', 'min-replicas-max-lag': '10', appendfsync: 'everysec', ...settings },
  }));
  const peers = sentinelsOn
    .slice(1)
    .map((machine, index) => ({ id: `m${machine}:${26379 + index}`, runId: '', flags: [] }));
  const view = {
    primary: ids[0],
    quorum,
    downAfterMs: downAfter * 1000,
    failoverTimeoutMs: 180_000,
    parallelSyncs: 1,
    flags: ['master'],
    peers,
    replicas: ids.slice(1).map((id) => ({ id, runId: '', flags: [] })),
    canDecide: true,
  };
  const sentinels = sentinelsOn.map((machine, index) => ({
    ...silentSentinel(address(machine, 26379 + index), 'connection refused'),
    ...(away.includes(index) ? {} : { why: null, view }),
  }));
  return { masterName: 'mymaster', readAt: '', sentinels, nodes: made, primary: ids[0] };
}
