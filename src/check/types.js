/** A deployment as `check` has read it: one plain object, on which everything else is computed. Types only. */
/**
 * @import { Address } from '../stacks/types.js' @import { Unknown } from './unknown.js'
 * @typedef {Object} Deployment
 * @property {string} masterName @property {string} readAt ISO 8601
 * @property {readonly Sentinel[]} sentinels all that were given or named for this name; of one that does not answer only the address is known
 * @property {readonly CheckedNode[]} nodes
 * @property {string | null} primary id of the node that most Sentinels name; null: no majority, or it was not found
 * @typedef {Object} Asked a server
 * @property {string} id its address, `host:port` @property {Address} address @property {string} machine
 * @property {string | null} why it could not be read; null: it answered. Else the rest is as of an empty server
 * @property {boolean} heard it does not answer here, but Sentinels reach it @property {string} runId empty: unknown
 * @typedef {Asked & {version: string, tilt: boolean, view: SentinelView | null}} Sentinel view: null: no answer, or it does not watch this name
 * @typedef {Record<'quorum' | 'downAfterMs' | 'failoverTimeoutMs' | 'parallelSyncs', number> & {primary: string,
 *   flags: readonly string[], peers: readonly Known[], replicas: readonly Known[], canDecide: boolean | Unknown}} SentinelView what one
 *   Sentinel holds to be true. primary: `host:port`; flags: of the primary; canDecide: answer of SENTINEL CKQUORUM
 * @typedef {{id: string, runId: string, flags: readonly string[]}} Known by a Sentinel; id: `host:port`
 * @typedef {Asked & NodeState & Record<'offset' | 'dataBytes' | 'keys' | 'maxmemory' | 'backlogBytes' | 'evicted' | 'forkMs', number> &
 *   Record<'linkUp' | 'hasFile' | 'login', boolean> & {aof: boolean} & Record<'minReplicas' | 'bytesPerSecond' | 'changesPerSecond' | 'slowestMs',
 *   number | Unknown>} CheckedNode hasFile: it was started with a configuration file; login: a password was needed; bytesPerSecond: of
 *   replication stream, between two looks; slowestMs: the longest command since the start, at most twice too long
 * @typedef {Object} NodeState
 * @property {readonly string[]} aliases further addresses of it @property {{name: string, version: string}} server
 * @property {'primary' | 'replica' | null} role as the node says
 * @property {string | null} follows id of the node that it copies; an address that is no node stays as it is
 * @property {readonly string[]} followers ids of nodes that copy it now, as it says
 * @property {number | null} lagBytes of a replica, behind the primary
 * @property {number | null} ackSeconds of a replica: since the primary last heard from it; null: unknown
 * @property {Readonly<Record<string, string | Unknown>>} settings
 * @property {number} priority of a replica; of a primary the one that it would have, 100 if unknown
 * @property {readonly string[] | Unknown} hidden commands of a promotion that the server does not have
 * @property {{changes: number, ok: boolean}} saved changes: since the last snapshot; ok: that and the last write of the AOF succeeded
 * @property {string} policy
 * @property {Readonly<Record<string, number>> | Unknown} libraries connections by `lib-name`, of a sample
 * @property {readonly string[] | Unknown} deniedToSentinel commands of a promotion that the Sentinels' user may not send here
 * @typedef {Object} PredictedFault
 * @property {'cut' | 'machine-lost' | 'node-lost' | 'restart' | 'frozen' | 'planned' | 'power'} kind
 * @property {readonly string[]} machines cut: those on the primary's side; else those that the fault takes
 * @property {string} [node] node-lost
 * @property {number} seconds how long it lasts; Infinity: to the end
 * @typedef {{kind: 'none'} | {kind: 'all'} | {kind: 'seconds', seconds: number} | {kind: 'changes', count: number} | {kind: 'unknown', why: Unknown, most: 'all' | number}} PredictedLoss
 * @typedef {Object} Prediction
 * @property {PredictedFault} fault @property {PredictedLoss} loss @property {boolean} promotes
 * @property {'no' | 'until-back' | number} stops how long no write is confirmed, seconds; until-back: until somebody acts or the fault ends
 * @property {string} because id of the reason, see `texts.js`
 * @property {number} [confirming] replicas that still confirm to the old primary
 * @property {string | null} [chosen] the replica that would be promoted
 * @typedef {'critical' | 'high' | 'medium' | 'low' | 'inherent'} Severity
 */

export {};
