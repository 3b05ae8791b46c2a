/**
 * The resources that nodes and the load process used in the rounds of a case: a row for each node, or for each role.
 */

import { median, sum } from '../stats/statistics.js';
import { percent, plural } from './format.js';

/** @import { BenchmarkResult, CaseResult, NodeUse, RoundResult } from '../result/schema.js' */

/**
 * @typedef {'primary' | 'replica' | 'sentinel' | 'load'} Role load: the load process
 *
 * @typedef {Object} Use medians over the rounds; null: not known; several nodes: their sum
 * @property {string} name such as `redis-1`, `2 replicas`, `load process`
 * @property {Role} role
 * @property {number | null} cpu CPU seconds a second
 * @property {number | null} memoryBytes at the end of a round
 * @property {number | null} networkIn bytes a second, as are the next four
 * @property {number | null} networkOut
 * @property {number | null} blockIn
 * @property {number | null} blockOut
 * @property {number | null} toReplicas
 * @property {number | null} threads
 * @property {number | null} delayedFsyncs in all rounds together, as are the next two
 * @property {number | null} evicted
 * @property {number | null} rejected
 *
 * @typedef {Omit<Use, 'name' | 'role'>} Figures
 *
 * @typedef {'set' | 'get' | 'idle'} Operation
 *
 * @typedef {Object} Topology cases with the same number of replicas
 * @property {number | undefined} replicas
 * @property {string} title such as `no replicas`, `2 replicas, WAIT 1`
 * @property {CaseResult[]} cases
 */

export const RESOURCES = 'resources';

/** Titles of the rows of {@link useByRole}. */
const PLURALS = Object.freeze({ primary: 'primary', replica: 'replica', sentinel: 'Sentinel', load: 'load process' });

/**
 * @param {Pick<CaseResult, 'rounds'>} result
 * @returns {boolean} its rounds have more than CPU and memory; rounds of earlier versions have only these
 */
export function hasUse({ rounds }) {
  return rounds.some(
    ({ nodes, load }) =>
      load.process || nodes.some(({ networkInBytes, counters }) => networkInBytes != null || counters),
  );
}

/**
 * @param {Pick<CaseResult, 'rounds'>} result
 * @returns {Use[]} a row for each node: the primary, the replicas, the Sentinels, then the load process
 */
export function useByNode({ rounds }) {
  const ids = [...new Set(rounds.flatMap(({ nodes }) => nodes.map(({ id }) => id)))];
  const nodes = ids.map((id) => {
    const own = rounds.map((round) => figuresOf(round, ({ nodes }) => nodes.filter((node) => node.id === id)));
    const role = rounds.flatMap((round) => round.nodes).findLast((node) => node.id === id)?.role;
    return { name: id, role: /** @type {Role} */ (role), ...together(own) };
  });
  const order = Object.keys(PLURALS);
  nodes.sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role) || a.name.localeCompare(b.name));
  return [...nodes, ...loadUse(rounds)];
}

/**
 * @param {Pick<CaseResult, 'rounds'>} result
 * @returns {Use[]} a row for each role; replicas are summed, and so are Sentinels
 */
export function useByRole({ rounds }) {
  const roles = /** @type {const} */ (['primary', 'replica', 'sentinel']);
  const nodes = roles.flatMap((role) => {
    const count = Math.max(0, ...rounds.map((round) => round.nodes.filter((node) => node.role === role).length));
    if (count === 0) return [];
    const own = rounds.map((round) => figuresOf(round, ({ nodes }) => nodes.filter((node) => node.role === role)));
    return { name: role === 'primary' ? role : plural(count, PLURALS[role]), role, ...together(own) };
  });
  return [...nodes, ...loadUse(rounds)];
}

/**
 * @param {Pick<CaseResult, 'rounds'>} result
 * @param {Role} role
 * @returns {Use | undefined} the sum over the nodes of the role; undefined: no such node
 */
export function useOf(result, role) {
  return useByRole(result).find((use) => use.role === role);
}

/**
 * @param {CaseResult} result
 * @param {number} cores of the machine
 * @returns {number | null} share of all cores that other programs used, the median over rounds; null: the CPU of a node or of the
 *   load is not known; below 0: the nodes run on another machine
 */
export function othersShare({ rounds }, cores) {
  const shares = rounds.flatMap(({ machineCpu, nodes, load }) => {
    const known = sumKnown([...nodes.map(({ cpu }) => cpu), load.process?.cpu]);
    return known === null ? [] : [machineCpu - known / cores];
  });
  return shares.length === 0 ? null : median(shares);
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Topology[]} in the order of their first cases
 */
export function topologiesOf(cases) {
  /** @type {Map<number | undefined, CaseResult[]>} */
  const groups = new Map();
  for (const one of cases) {
    const { replicas } = one.params;
    groups.set(replicas, [...(groups.get(replicas) ?? []), one]);
  }
  return [...groups].map(([replicas, own]) => {
    const wait = Math.max(...own.map(({ params }) => params.wait));
    const level = wait > 0 ? `WAIT ${wait}` : 'asynchronous';
    const nodes = replicas === undefined ? 'all replicas' : plural(replicas, 'replica');
    return { replicas, title: replicas === 0 ? 'no replicas' : `${nodes}, ${level}`, cases: own };
  });
}

/**
 * @param {Topology} topology
 * @param {Operation} operation
 * @returns {CaseResult | undefined} undefined: it was not measured
 */
export function caseFor({ cases }, operation) {
  return cases.find(({ params }) => (params.operation ?? 'set') === operation);
}

/**
 * @param {CaseResult} result
 * @returns {number} acknowledged operations of all rounds
 */
export function acked({ rounds }) {
  return sum(rounds.map(({ outcomes }) => outcomes.acked));
}

/**
 * @param {CaseResult} result
 * @returns {number | null} bytes, to all replicas
 */
export function sentToReplicas({ rounds }) {
  const sent = rounds.map(
    ({ nodes }) => nodes.find(({ role }) => role === 'primary')?.counters?.replicationOutBytes ?? null,
  );
  return sent.includes(null) ? null : sum(sent.map(Number));
}

/**
 * @param {readonly RoundResult[]} rounds
 * @returns {Use[]} none when another program made the load, or it was not sampled
 */
function loadUse(rounds) {
  const own = rounds.flatMap(({ load, seconds }) => {
    if (!load.process) return [];
    const { cpu, memoryBytes, bytesRead, bytesWritten, blockInBytes, blockOutBytes, pids } = load.process;
    const each = {
      cpu,
      memoryBytes,
      networkIn: perSecond(bytesRead, seconds),
      networkOut: perSecond(bytesWritten, seconds),
      blockIn: perSecond(blockInBytes, seconds),
      blockOut: perSecond(blockOutBytes, seconds),
      toReplicas: null,
      threads: pids,
      delayedFsyncs: null,
      evicted: null,
      rejected: null,
    };
    return [each];
  });
  return own.length === 0 ? [] : [{ name: PLURALS.load, role: 'load', ...together(own) }];
}

/**
 * @param {RoundResult} round
 * @param {(round: RoundResult) => NodeUse[]} choose
 * @returns {Figures} the sum over the chosen nodes; null where it is not known of one of them
 */
function figuresOf(round, choose) {
  const nodes = choose(round);
  const sum = (/** @type {(node: NodeUse) => number | null | undefined} */ value) => sumKnown(nodes.map(value));
  const rate = (/** @type {(node: NodeUse) => number | null | undefined} */ value) =>
    perSecond(sum(value), round.seconds);
  return {
    cpu: sum(({ cpu }) => cpu),
    memoryBytes: sum(({ memoryBytes }) => memoryBytes),
    networkIn: rate(({ networkInBytes }) => networkInBytes),
    networkOut: rate(({ networkOutBytes }) => networkOutBytes),
    blockIn: rate(({ blockInBytes }) => blockInBytes),
    blockOut: rate(({ blockOutBytes }) => blockOutBytes),
    toReplicas: rate(({ counters }) => counters?.replicationOutBytes),
    threads: sum(({ pids }) => pids),
    delayedFsyncs: sum(({ counters }) => counters?.delayedFsyncs),
    evicted: sum(({ counters }) => counters?.evictedKeys),
    rejected: sum(({ counters }) => counters?.rejectedConnections),
  };
}

/**
 * @param {readonly Figures[]} rounds at least one
 * @returns {Figures} medians; counts are summed
 */
function together(rounds) {
  const middle = (/** @type {keyof Figures} */ name) => {
    const known = rounds.map((round) => round[name]).filter((value) => value !== null);
    return known.length === 0 ? null : median(known);
  };
  const total = (/** @type {keyof Figures} */ name) => sumKnown(rounds.map((round) => round[name]));
  return {
    cpu: middle('cpu'),
    memoryBytes: middle('memoryBytes'),
    networkIn: middle('networkIn'),
    networkOut: middle('networkOut'),
    blockIn: middle('blockIn'),
    blockOut: middle('blockOut'),
    toReplicas: middle('toReplicas'),
    threads: middle('threads'),
    delayedFsyncs: total('delayedFsyncs'),
    evicted: total('evicted'),
    rejected: total('rejected'),
  };
}

/**
 * @param {readonly (number | null | undefined)[]} values
 * @returns {number | null} null when one of them is not known, or without values
 */
function sumKnown(values) {
  let sum = 0;
  for (const value of values) {
    if (value == null) return null;
    sum += value;
  }
  return values.length === 0 ? null : sum;
}

/**
 * @param {number | null} total
 * @param {number} seconds
 */
function perSecond(total, seconds) {
  return total === null || seconds <= 0 ? null : total / seconds;
}

/** @type {Record<string, string>} by operation */
const ACTIVITIES = { idle: 'idle', set: 'writing', get: 'reading', ping: 'pinging' };

/**
 * @param {CaseResult} result
 * @returns {string} such as `reading, from the replicas`
 */
export function activityOf({ params }) {
  return `${ACTIVITIES[params.operation ?? 'set']}${params.readFrom === 'replicas' ? ', from the replicas' : ''}`;
}

/** @param {number | null | undefined} share */
export function cpuText(share) {
  return share == null ? 'not known' : percent(share);
}
