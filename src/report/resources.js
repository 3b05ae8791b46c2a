/** The resources that nodes and the load process used, with the columns of `docker stats`. */

import { bytes, count, percent, plural } from '../format.js';
import { median, sum } from '../stats/statistics.js';
import { left, right } from '../table.js';
import { heading, table } from './blocks.js';

/**
 * @import { BenchmarkResult, CaseResult, NodeUse, RoundResult } from '../result/schema.js'
 * @import { Column } from '../table.js'
 * @import { Block } from './blocks.js'
 */

/**
 * @typedef {'primary' | 'replica' | 'sentinel' | 'load'} UseRole load: the load process
 *
 * @typedef {Object} Use medians over the rounds; null: unknown; several nodes: their sum
 * @property {string} name such as `redis-1`, `load process`; of several nodes their role
 * @property {UseRole} role
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
 * @typedef {Omit<Use, 'name' | 'role'>} UseFigures
 */

/** In the order of the rows. @type {readonly UseRole[]} */
const ROLES = ['primary', 'replica', 'sentinel', 'load'];

/** @type {UseFigures} */
const UNKNOWN_FIGURES = Object.freeze({
  cpu: null,
  memoryBytes: null,
  networkIn: null,
  networkOut: null,
  blockIn: null,
  blockOut: null,
  toReplicas: null,
  threads: null,
  delayedFsyncs: null,
  evicted: null,
  rejected: null,
});

/**
 * @param {Pick<CaseResult, 'rounds'>} result
 * @returns {boolean} true: its rounds have more than CPU and memory; those of earlier versions do not
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
    const figures = rounds.map((round) => figuresOf(round, (node) => node.id === id));
    const role = rounds.flatMap((round) => round.nodes).findLast((node) => node.id === id)?.role;
    return { name: id, role: /** @type {UseRole} */ (role), ...together(figures) };
  });
  nodes.sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role) || a.name.localeCompare(b.name));
  return [...nodes, ...loadUse(rounds)];
}

/**
 * @param {CaseResult} result
 * @param {number} cores of the machine
 * @returns {number | null} share of all cores that other programs used, median over rounds; null: the CPU of a node or of the load
 *   is unknown; below 0: the nodes run on another machine
 */
export function othersShare({ rounds }, cores) {
  const shares = rounds.flatMap(({ machineCpu, nodes, load }) => {
    const usedCpu = sumKnown([...nodes.map(({ cpu }) => cpu), load.process?.cpu]);
    return usedCpu === null ? [] : [machineCpu - usedCpu / cores];
  });
  return shares.length === 0 ? null : median(shares);
}

/** @param {readonly CaseResult[]} cases @returns those with the same number of replicas together, in the order of their first cases */
function topologiesOf(cases) {
  /** @type {Map<number | undefined, CaseResult[]>} */
  const groups = new Map();
  for (const one of cases) {
    const { replicas } = one.params;
    groups.set(replicas, [...(groups.get(replicas) ?? []), one]);
  }
  return [...groups].map(([replicas, groupCases]) => {
    const wait = Math.max(...groupCases.map(({ params }) => params.wait));
    const mode = wait > 0 ? `WAIT ${wait}` : 'asynchronous';
    const nodes = replicas === undefined ? 'all replicas' : plural(replicas, 'replica');
    return { replicas, title: replicas === 0 ? 'no replicas' : `${nodes}, ${mode}`, cases: groupCases };
  });
}

/**
 * @param {readonly RoundResult[]} rounds
 * @returns {Use[]} empty when another program made the load, or its process was not sampled
 */
function loadUse(rounds) {
  const loads = rounds.flatMap(({ load, seconds }) => {
    if (!load.process) return [];
    const { cpu, memoryBytes, bytesRead, bytesWritten, blockInBytes, blockOutBytes, pids } = load.process;
    return {
      ...UNKNOWN_FIGURES,
      cpu,
      memoryBytes,
      networkIn: aSecond(bytesRead, seconds),
      networkOut: aSecond(bytesWritten, seconds),
      blockIn: aSecond(blockInBytes, seconds),
      blockOut: aSecond(blockOutBytes, seconds),
      threads: pids,
    };
  });
  return loads.length === 0 ? [] : [{ name: 'load process', role: 'load', ...together(loads) }];
}

/**
 * @param {RoundResult} round
 * @param {(node: NodeUse) => boolean} chosen
 * @returns {UseFigures} the sum over the chosen nodes; null if one of them has no figure
 */
function figuresOf({ nodes, seconds }, chosen) {
  const chosenNodes = nodes.filter(chosen);
  const sum = (/** @type {(node: NodeUse) => number | null | undefined} */ value) => sumKnown(chosenNodes.map(value));
  const rateOf = (/** @type {Parameters<typeof sum>[0]} */ value) => aSecond(sum(value), seconds);
  return {
    cpu: sum(({ cpu }) => cpu),
    memoryBytes: sum(({ memoryBytes }) => memoryBytes),
    networkIn: rateOf(({ networkInBytes }) => networkInBytes),
    networkOut: rateOf(({ networkOutBytes }) => networkOutBytes),
    blockIn: rateOf(({ blockInBytes }) => blockInBytes),
    blockOut: rateOf(({ blockOutBytes }) => blockOutBytes),
    toReplicas: rateOf(({ counters }) => counters?.replicationOutBytes),
    threads: sum(({ pids }) => pids),
    delayedFsyncs: sum(({ counters }) => counters?.delayedFsyncs),
    evicted: sum(({ counters }) => counters?.evictedKeys),
    rejected: sum(({ counters }) => counters?.rejectedConnections),
  };
}

/** Rare events. @type {readonly string[]} */
const COUNTED = ['delayedFsyncs', 'evicted', 'rejected'];

/**
 * @param {readonly UseFigures[]} rounds at least one
 * @returns {UseFigures} medians; sums of {@link COUNTED}
 */
function together(rounds) {
  const names = /** @type {(keyof UseFigures)[]} */ (Object.keys(UNKNOWN_FIGURES));
  const figures = names.map((name) => {
    const values = rounds.map((round) => round[name]);
    if (COUNTED.includes(name)) return [name, sumKnown(values)];
    const numbers = values.filter((value) => value !== null);
    return [name, numbers.length === 0 ? null : median(numbers)];
  });
  return /** @type {UseFigures} */ (Object.fromEntries(figures));
}

/**
 * @param {readonly (number | null | undefined)[]} values
 * @returns {number | null} null if a value is unknown, or without values
 */
function sumKnown(values) {
  const numbers = values.filter((value) => value != null);
  return numbers.length === 0 || numbers.length < values.length ? null : sum(numbers);
}

/** @param {number | null} total @param {number} seconds */
function aSecond(total, seconds) {
  return total === null || seconds <= 0 ? null : total / seconds;
}

/** @type {Record<string, string>} by operation */
const ACTIVITIES = { idle: 'idle', set: 'writing', get: 'reading', ping: 'pinging' };

/** @param {CaseResult} result @returns {string} such as `reading, from the replicas` */
export function activityOf({ params }) {
  return `${ACTIVITIES[params.operation ?? 'set']}${params.readFrom === 'replicas' ? ', from the replicas' : ''}`;
}

/** @param {number | null | undefined} share */
function cpuText(share) {
  return share == null ? UNKNOWN : percent(share);
}

/** @typedef {{label: string, use: Use}} UseRow label: what the case does, in its first row only */

const UNKNOWN = 'unknown';

const perSecond = (/** @type {number} */ value) => `${bytes(value)}/s`;

/** @type {readonly Column<UseRow>[]} */
const ALWAYS = [
  left('activity', ({ label }) => label),
  left('node', ({ use: { name, role } }) => (role === 'primary' && name !== role ? `${name}, primary` : name)),
  right('CPU', ({ use }) => cpuText(use.cpu)),
  right('memory', ({ use }) => orUnknown(use.memoryBytes, bytes)),
  right('network in / out', ({ use }) => pair(use.networkIn, use.networkOut)),
  right('block in / out', ({ use }) => pair(use.blockIn, use.blockOut)),
  right('threads', ({ use }) => orUnknown(use.threads, count)),
];
/** Shown where one has a figure. @type {readonly Column<UseRow>[]} */
const SOMETIMES = [
  right('sent to replicas', ({ use }) => (use.toReplicas ? perSecond(use.toReplicas) : '')),
  right('delayed fsyncs', ({ use }) => (use.delayedFsyncs ? count(use.delayedFsyncs) : '')),
  right('evicted', ({ use }) => (use.evicted ? count(use.evicted) : '')),
  right('rejected', ({ use }) => (use.rejected ? count(use.rejected) : '')),
];

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Block[]} a row for each node; empty when the rounds have no such figures
 */
export function resourceBlocks(benchmark) {
  return topologiesOf(benchmark.cases.filter(hasUse)).flatMap(({ title, cases }) => {
    const rows = cases.flatMap((result) =>
      useByNode(result).map((use, i) => ({ label: i === 0 ? activityOf(result) : '', use })),
    );
    const columns = [...ALWAYS, ...SOMETIMES.filter(({ cell }) => rows.some((row) => cell(row) !== ''))];
    return [heading(3, `Resource use: ${title}`), table(columns, rows)];
  });
}

/** @param {number | null} first @param {number | null} second */
function pair(first, second) {
  return first === null && second === null
    ? UNKNOWN
    : `${orUnknown(first, perSecond)} / ${orUnknown(second, perSecond)}`;
}

/** @param {number | null} value @param {(value: number) => string} format */
function orUnknown(value, format) {
  return value === null ? UNKNOWN : format(value);
}
