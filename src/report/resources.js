/**
 * The resources that nodes and the load process used, with the columns of `docker stats`.
 */

import { bytes, count, percent, plural, rangeOrOne } from '../format.js';
import { median, sum } from '../stats/statistics.js';
import { fold, heading, list, rightAligned, table, text } from './blocks.js';

/**
 * @import { BenchmarkResult, CaseResult, NodeUse, RoundResult } from '../result/schema.js'
 * @import { Block } from './blocks.js'
 */

/**
 * @typedef {'primary' | 'replica' | 'sentinel' | 'load'} Role load: the load process
 *
 * @typedef {Object} Use medians over the rounds; null: unknown; several nodes: their sum
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

/** Titles of the rows of {@link useByRole}. */
const ROLE_NAMES = Object.freeze({
  primary: 'primary',
  replica: 'replica',
  sentinel: 'Sentinel',
  load: 'load process',
});

/** @type {Figures} */
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
    return { name: id, role: /** @type {Role} */ (role), ...together(figures) };
  });
  const order = Object.keys(ROLE_NAMES);
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
    const figures = rounds.map((round) => figuresOf(round, (node) => node.role === role));
    return { name: role === 'primary' ? role : plural(count, ROLE_NAMES[role]), role, ...together(figures) };
  });
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

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Topology[]} in the order of their first cases
 */
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
  return loads.length === 0 ? [] : [{ name: ROLE_NAMES.load, role: 'load', ...together(loads) }];
}

/**
 * @param {RoundResult} round
 * @param {(node: NodeUse) => boolean} chosen
 * @returns {Figures} the sum over the chosen nodes; null if one of them has no figure
 */
function figuresOf({ nodes, seconds }, chosen) {
  const chosenNodes = nodes.filter(chosen);
  const sum = (/** @type {(node: NodeUse) => number | null | undefined} */ value) => sumKnown(chosenNodes.map(value));
  return {
    cpu: sum(({ cpu }) => cpu),
    memoryBytes: sum(({ memoryBytes }) => memoryBytes),
    networkIn: aSecond(
      sum(({ networkInBytes }) => networkInBytes),
      seconds,
    ),
    networkOut: aSecond(
      sum(({ networkOutBytes }) => networkOutBytes),
      seconds,
    ),
    blockIn: aSecond(
      sum(({ blockInBytes }) => blockInBytes),
      seconds,
    ),
    blockOut: aSecond(
      sum(({ blockOutBytes }) => blockOutBytes),
      seconds,
    ),
    toReplicas: aSecond(
      sum(({ counters }) => counters?.replicationOutBytes),
      seconds,
    ),
    threads: sum(({ pids }) => pids),
    delayedFsyncs: sum(({ counters }) => counters?.delayedFsyncs),
    evicted: sum(({ counters }) => counters?.evictedKeys),
    rejected: sum(({ counters }) => counters?.rejectedConnections),
  };
}

/**
 * @param {readonly Figures[]} rounds at least one
 * @returns {Figures} medians; sums of {@link EVENTS}
 */
function together(rounds) {
  const names = /** @type {(keyof Figures)[]} */ (Object.keys(UNKNOWN_FIGURES));
  const figures = names.map((name) => {
    const values = rounds.map((round) => round[name]);
    if (Object.hasOwn(EVENTS, name)) return [name, sumKnown(values)];
    const numbers = values.filter((value) => value !== null);
    return [name, numbers.length === 0 ? null : median(numbers)];
  });
  return /** @type {Figures} */ (Object.fromEntries(figures));
}

/**
 * @param {readonly (number | null | undefined)[]} values
 * @returns {number | null} null if a value is unknown, or without values
 */
function sumKnown(values) {
  const numbers = values.filter((value) => value != null);
  return numbers.length === 0 || numbers.length < values.length ? null : sum(numbers);
}

/**
 * @param {number | null} total
 * @param {number} seconds
 */
function aSecond(total, seconds) {
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
function cpuText(share) {
  return share == null ? UNKNOWN : percent(share);
}

/**
 * @typedef {Object} Row
 * @property {string} label
 * @property {Use} use
 *
 * @typedef {Object} Shown a column
 * @property {string} title
 * @property {(use: Use) => string} cell
 */

const UNKNOWN = 'unknown';
/** The step of the system's CPU counter. A Sentinel reports no finer figure itself. */
const TICK_SECONDS = 0.01;

export const perSecond = (/** @type {number} */ value) => `${bytes(value)}/s`;

/** @type {readonly Shown[]} */
const ALWAYS = Object.freeze([
  { title: 'CPU', cell: ({ cpu }) => cpuText(cpu) },
  { title: 'memory', cell: ({ memoryBytes }) => orUnknown(memoryBytes, bytes) },
  { title: 'network in / out', cell: ({ networkIn, networkOut }) => pair(networkIn, networkOut) },
  { title: 'block in / out', cell: ({ blockIn, blockOut }) => pair(blockIn, blockOut) },
  { title: 'threads', cell: ({ threads }) => orUnknown(threads, count) },
]);

/** @type {Shown} */
const TO_REPLICAS = {
  title: 'sent to replicas',
  cell: ({ toReplicas }) => (toReplicas ? perSecond(toReplicas) : ''),
};

/** Rare events: a table has a column for those that happened. */
const EVENTS = Object.freeze({
  delayedFsyncs: { title: 'delayed fsyncs', name: 'delayed fsyncs' },
  evicted: { title: 'evicted', name: 'evicted keys' },
  rejected: { title: 'rejected', name: 'rejected connections' },
});
/** @typedef {keyof typeof EVENTS} EventName */
const EVENT_NAMES = /** @type {EventName[]} */ (Object.keys(EVENTS));

/**
 * @param {BenchmarkResult} benchmark
 * @param {boolean} [perNode] a row for each node; default: a row for each role, folded away
 * @returns {Block[]} empty when the rounds have no such figures
 */
export function resourceBlocks(benchmark, perNode = false) {
  const cases = benchmark.cases.filter(hasUse);
  if (cases.length === 0) return [];
  return perNode ? blocksByNode(cases) : blocksByRole(cases);
}

/**
 * @param {CaseResult[]} cases
 * @returns {Block[]}
 */
function blocksByNode(cases) {
  const tables = topologiesOf(cases).flatMap((topology) => [
    heading(3, `Resource use: ${topology.title}`),
    useTable(
      'activity',
      topology.cases.flatMap((result) => labelled(activityOf(result), useByNode(result))),
    ),
  ]);
  return [...tables, notes(cases.flatMap(useByNode), cases)];
}

/**
 * @param {CaseResult[]} cases
 * @returns {Block[]}
 */
function blocksByRole(cases) {
  const uses = cases.map((result) => ({ id: result.id, uses: useByRole(result) }));
  const all = uses.flatMap((each) => each.uses);
  const sentinels = all.filter(({ role }) => role === 'sentinel');
  const rows = uses.flatMap(({ id, uses: nodeUses }) =>
    labelled(
      id,
      nodeUses.filter(({ role }) => role !== 'sentinel'),
    ),
  );
  return [
    fold(`Resource use in ${plural(cases.length, 'case')}`, [
      useTable('case', rows),
      ...(sentinels.length > 0 ? [text(sentinelText(sentinels))] : []),
      notes(all, cases),
    ]),
  ];
}

/**
 * One line for all cases, because the case hardly affects Sentinels.
 *
 * @param {Use[]} uses at least one
 */
function sentinelText(uses) {
  const spread = (
    /** @type {(use: Use) => number | null} */ value,
    /** @type {(value: number) => string} */ format,
  ) => {
    const numbers = uses.map(value).filter((each) => each !== null);
    if (numbers.length === 0) return UNKNOWN;
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    return rangeOrOne(low, high, format);
  };
  return (
    `${uses[0].name} together, over all cases: CPU ${spread(({ cpu }) => cpu, percent)}, ` +
    `memory ${spread(({ memoryBytes }) => memoryBytes, bytes)}, ` +
    `network in ${spread(({ networkIn }) => networkIn, perSecond)}, out ${spread(({ networkOut }) => networkOut, perSecond)}, ` +
    `written to block devices ${spread(({ blockOut }) => blockOut, perSecond)}.`
  );
}

/**
 * @param {string} label shown in the first row only
 * @param {Use[]} uses
 * @returns {Row[]}
 */
function labelled(label, uses) {
  return uses.map((use, i) => ({ label: i === 0 ? label : '', use }));
}

/**
 * @param {string} first the title of the labels
 * @param {Row[]} rows
 */
function useTable(first, rows) {
  const uses = rows.map(({ use }) => use);
  const shown = [
    ...ALWAYS,
    ...(uses.some(({ toReplicas }) => toReplicas) ? [TO_REPLICAS] : []),
    ...EVENT_NAMES.filter((event) => happened(uses, event)).map(eventColumn),
  ];
  return table(
    [first, 'node', ...rightAligned(shown.map(({ title }) => title))],
    rows.map(({ label, use }) => [
      label,
      use.role === 'primary' && use.name !== 'primary' ? `${use.name}, primary` : use.name,
      ...shown.map(({ cell }) => cell(use)),
    ]),
  );
}

/**
 * @param {EventName} event
 * @returns {Shown}
 */
function eventColumn(event) {
  return { title: EVENTS[event].title, cell: (use) => (use[event] === null ? '' : count(use[event])) };
}

/**
 * @param {Use[]} uses
 * @param {EventName} event
 */
function happened(uses, event) {
  return uses.some((use) => use[event]);
}

/**
 * @param {Use[]} uses
 * @param {CaseResult[]} cases
 * @returns {Block}
 */
function notes(uses, cases) {
  const counted = EVENT_NAMES.filter((event) => uses.some((use) => use[event] !== null));
  const none = counted.filter((event) => !happened(uses, event)).map((event) => EVENTS[event].name);
  const most = Math.max(...cases.map(({ rounds }) => rounds.length));
  const seconds = Math.min(...cases.flatMap(({ rounds }) => rounds.map((round) => round.seconds)));
  const hasChild = cases.some(({ params }) => params.during !== undefined || params.settings?.save);
  const hasSentinel = uses.some(({ role }) => role === 'sentinel');
  return list([
    `CPU is a share of one core. Network and block devices are bytes a second in timed rounds${most > 1 ? '; medians over the rounds' : ''}.`,
    'A row with several nodes shows their sum. The load process’s network includes its few files. A node’s network includes the ' +
      'requests of this tool.',
    'Network: the local backend counts the bytes of the process; Docker counts the bytes at the container’s interface, headers included.',
    'Block out: the local backend counts the bytes that a process gave to the system, a child’s once the child has ended. Docker ' +
      'counts the bytes that devices wrote, perhaps those of an earlier round.',
    'Memory of a Redis node is its resident memory, without the page cache of its files.',
    ...(hasChild
      ? ['CPU and memory of a node exclude a child that rewrites or saves, and the pages copied because of it.']
      : []),
    ...(hasSentinel && seconds > 0
      ? [`The local backend counts a Sentinel’s CPU in steps of ${percent(TICK_SECONDS / seconds)}.`]
      : []),
    ...(none.length > 0 ? [`No ${none.join(' or ')}.`] : []),
    ...(counted.includes('delayedFsyncs') ? [] : ['Delayed fsyncs are unknown: no node had an append-only file.']),
  ]);
}

/**
 * @param {number | null} first
 * @param {number | null} second
 */
function pair(first, second) {
  return first === null && second === null
    ? UNKNOWN
    : `${orUnknown(first, perSecond)} / ${orUnknown(second, perSecond)}`;
}

/**
 * @param {number | null} value
 * @param {(value: number) => string} format
 */
function orUnknown(value, format) {
  return value === null ? UNKNOWN : format(value);
}
