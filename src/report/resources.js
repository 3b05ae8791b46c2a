/**
 * The resources that nodes and the load process used, with the columns of `docker stats`.
 * @import { BenchmarkResult, CaseResult, RoundResult } from '../result/schema.js' @import { Column } from '../table.js'
 * @import { Block } from './blocks.js'
 * @typedef {'primary' | 'replica' | 'sentinel' | 'load'} UseRole load: the load process
 * @typedef {Object} UseFigure
 * @property {'cpu' | 'memoryBytes' | 'networkInBytes' | 'networkOutBytes' | 'blockInBytes' | 'blockOutBytes' | 'pids'} [node] field of a node
 * @property {'replicationOutBytes' | 'delayedFsyncs' | 'evictedKeys' | 'rejectedConnections'} [counter] of a node, where it is none of its fields
 * @property {keyof NonNullable<RoundResult['load']['process']>} [load] field of the load process; absent: it has no such figure
 * @property {true} [aSecond] shown a second @property {true} [counted] a rare event: the sum of all rounds; default: their median
 * @typedef {Record<keyof typeof FIGURES, number | null>} UseFigures null: unknown
 * @typedef {UseFigures & {name: string, role: UseRole}} Use name: such as `redis-1`, `load process`
 * @typedef {Use & {label: string}} UseRow label: what the case does, in its first row only
 */

import { bytes, count, percent, plural } from '../format.js';
import { knownMedian, sum } from '../stats/statistics.js';
import { left, right } from '../table.js';
import { heading, table } from './blocks.js';

/** In the order of the rows. @type {readonly UseRole[]} */
const ROLES = ['primary', 'replica', 'sentinel', 'load'];

/** @satisfies {Record<string, UseFigure>} */
const FIGURES = /** @type {const} */ ({
  cpu: { node: 'cpu', load: 'cpu' },
  memoryBytes: { node: 'memoryBytes', load: 'memoryBytes' },
  networkIn: { node: 'networkInBytes', load: 'bytesRead', aSecond: true },
  networkOut: { node: 'networkOutBytes', load: 'bytesWritten', aSecond: true },
  blockIn: { node: 'blockInBytes', load: 'blockInBytes', aSecond: true },
  blockOut: { node: 'blockOutBytes', load: 'blockOutBytes', aSecond: true },
  threads: { node: 'pids', load: 'pids' },
  toReplicas: { counter: 'replicationOutBytes', aSecond: true },
  delayedFsyncs: { counter: 'delayedFsyncs', counted: true },
  evicted: { counter: 'evictedKeys', counted: true },
  rejected: { counter: 'rejectedConnections', counted: true },
});

/** @param {Pick<CaseResult, 'rounds'>} result @returns {boolean} true: its rounds have more than CPU and memory; those of earlier versions do not */
export function hasUse({ rounds }) {
  return rounds.some(
    ({ nodes, load }) =>
      load.process || nodes.some(({ networkInBytes, counters }) => networkInBytes != null || counters),
  );
}

/** @param {Pick<CaseResult, 'rounds'>} result @returns {Use[]} a row for each node by role, then the load process, if it was ours */
export function useByNode({ rounds }) {
  const ids = [...new Set(rounds.flatMap(({ nodes }) => nodes.map(({ id }) => id)))];
  const uses = ids.map((id) => {
    const inRound = (/** @type {RoundResult} */ { nodes }) => nodes.find((node) => node.id === id);
    const role = rounds.flatMap((round) => inRound(round) ?? []).at(-1)?.role;
    const figures = figuresOf(rounds, (round, { node, counter }) =>
      node ? inRound(round)?.[node] : counter && inRound(round)?.counters?.[counter],
    );
    return { name: id, role: /** @type {UseRole} */ (role), ...figures };
  });
  uses.sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role) || a.name.localeCompare(b.name));
  if (rounds.every(({ load }) => !load.process)) return uses;
  const load = figuresOf(rounds, (round, { load: field }) => field && round.load.process?.[field]);
  return [...uses, { name: 'load process', role: 'load', ...load }];
}

/** @param {readonly RoundResult[]} rounds @param {(round: RoundResult, figure: UseFigure) => number | null | undefined} read @returns {UseFigures} */
function figuresOf(rounds, read) {
  const figures = Object.entries(/** @type {Record<string, UseFigure>} */ (FIGURES)).map(([name, figure]) => {
    const values = rounds.map((round) => {
      const value = read(round, figure);
      return value == null || !figure.aSecond ? value : round.seconds > 0 ? value / round.seconds : null;
    });
    return [name, figure.counted ? sumKnown(values) : knownMedian(values)];
  });
  return /** @type {UseFigures} */ (Object.fromEntries(figures));
}

/**
 * @param {CaseResult} result @param {number} cores of the machine
 * @returns {number | null} share of all cores that other programs used, median over rounds; null: the CPU of a node or of the load
 *   is unknown; below 0: the nodes run on another machine
 */
export function othersShare({ rounds }, cores) {
  const shares = rounds.map(({ machineCpu, nodes, load }) => {
    const usedCpu = sumKnown([...nodes.map(({ cpu }) => cpu), load.process?.cpu]);
    return usedCpu === null ? null : machineCpu - usedCpu / cores;
  });
  return knownMedian(shares);
}

/** @param {readonly CaseResult[]} cases @returns those with the same number of replicas together, in the order of their first cases */
function topologiesOf(cases) {
  return [...new Set(cases.map(({ params }) => params.replicas))].map((replicas) => {
    const alike = cases.filter(({ params }) => params.replicas === replicas);
    const wait = Math.max(...alike.map(({ params }) => params.wait));
    const mode = wait > 0 ? `WAIT ${wait}` : 'asynchronous';
    const nodes = replicas === undefined ? 'all replicas' : plural(replicas, 'replica');
    return { title: replicas === 0 ? 'no replicas' : `${nodes}, ${mode}`, cases: alike };
  });
}

/** @param {readonly (number | null | undefined)[]} values @returns {number | null} null if a value is unknown, or without values */
function sumKnown(values) {
  const numbers = values.filter((value) => value != null);
  return numbers.length === 0 || numbers.length < values.length ? null : sum(numbers);
}

const ACTIVITIES = { idle: 'idle', set: 'writing', get: 'reading', ping: 'pinging' };

/** @param {CaseResult} result @returns {string} such as `reading, from the replicas` */
export function activityOf({ params }) {
  return `${ACTIVITIES[params.operation ?? 'set']}${params.readFrom === 'replicas' ? ', from the replicas' : ''}`;
}

const perSecond = (/** @type {number} */ value) => `${bytes(value)}/s`;
/** @param {number | null} value @param {(value: number) => string} format */
const orUnknown = (value, format) => (value === null ? 'unknown' : format(value));
/** @param {number | null} first @param {number | null} second */
const pair = (first, second) =>
  first === second && first === null ? 'unknown' : `${orUnknown(first, perSecond)} / ${orUnknown(second, perSecond)}`;

/** @type {readonly Column<UseRow>[]} */
const ALWAYS = [
  left('activity', ({ label }) => label),
  left('node', ({ name, role }) => (role === 'primary' && name !== role ? `${name}, primary` : name)),
  right('CPU', ({ cpu }) => orUnknown(cpu, percent)),
  right('memory', ({ memoryBytes }) => orUnknown(memoryBytes, bytes)),
  right('network in / out', ({ networkIn, networkOut }) => pair(networkIn, networkOut)),
  right('block in / out', ({ blockIn, blockOut }) => pair(blockIn, blockOut)),
  right('threads', ({ threads }) => orUnknown(threads, count)),
];
/** @param {string} title @param {'toReplicas' | 'delayedFsyncs' | 'evicted' | 'rejected'} figure @param {(value: number) => string} format */
const rare = (title, figure, format) =>
  right(title, (/** @type {UseRow} */ { [figure]: value }) => (value ? format(value) : ''));
/** Shown where one has a figure. */
const SOMETIMES = [
  rare('sent to replicas', 'toReplicas', perSecond),
  rare('delayed fsyncs', 'delayedFsyncs', count),
  rare('evicted', 'evicted', count),
  rare('rejected', 'rejected', count),
];

/** @param {BenchmarkResult} benchmark @returns {Block[]} a row for each node; empty when the rounds have no such figures */
export function resourceBlocks(benchmark) {
  return topologiesOf(benchmark.cases.filter(hasUse)).flatMap(({ title, cases }) => {
    const rows = cases.flatMap((result) =>
      useByNode(result).map((use, i) => ({ label: i === 0 ? activityOf(result) : '', ...use })),
    );
    const columns = [...ALWAYS, ...SOMETIMES.filter(({ cell }) => rows.some((row) => cell(row) !== ''))];
    return [heading(3, `Resource use: ${title}`), table(columns, rows)];
  });
}
