/**
 * The resources that nodes and the load process used, with the columns of `docker stats`.
 */

import { markdownTable } from 'markdown-table';
import { median } from '../stats/statistics.js';
import { bulletList, escapeText } from './blocks.js';
import { bytes, count, percent, plural, range } from './format.js';

/**
 * @import { BenchmarkResult, CaseResult, NodeUse, RoundResult } from '../result/schema.js'
 */

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

/** @param {readonly number[]} values */
export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
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
      networkIn: aSecond(bytesRead, seconds),
      networkOut: aSecond(bytesWritten, seconds),
      blockIn: aSecond(blockInBytes, seconds),
      blockOut: aSecond(blockOutBytes, seconds),
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
    aSecond(sum(value), round.seconds);
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
export function cpuText(share) {
  return share == null ? 'not known' : percent(share);
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

const UNKNOWN = 'not known';
/** A share of all cores. An idle system and rounding take far less. */
const MUCH = 0.15;
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

/** Rare events: each has a column only in tables where it happened. */
const EVENTS = Object.freeze({ delayedFsyncs: 'delayed fsyncs', evicted: 'evicted', rejected: 'rejected' });
const EVENT_NAMES = Object.freeze({
  delayedFsyncs: 'delayed fsyncs',
  evicted: 'evicted keys',
  rejected: 'rejected connections',
});

/**
 * @param {BenchmarkResult} benchmark
 * @param {boolean} [perNode] a row a node; default: a row a role, folded away
 * @returns {string} Markdown; empty when the rounds have no such figures
 */
export function renderResources(benchmark, perNode = false) {
  const cases = benchmark.cases.filter(hasUse);
  if (cases.length === 0) return '';
  return perNode ? renderNodes(cases) : renderRoles(cases);
}

/**
 * @param {readonly CaseResult[]} cases
 * @param {number} cores
 * @returns {string[]} a warning when something else took much of the machine
 */
export function aboutOthers(cases, cores) {
  const most = Math.max(0, ...cases.map((result) => othersShare(result, cores) ?? 0));
  if (most < MUCH) return [];
  return [
    `**Other programs kept up to ${percent(most)} of the machine’s cores busy. Measure again on a quiet machine.**`,
  ];
}

/** @param {CaseResult[]} cases */
function renderNodes(cases) {
  const parts = topologiesOf(cases).flatMap((topology) => {
    const rows = topology.cases.flatMap((result) => labelled(activityOf(result), useByNode(result)));
    return [`### ${escapeText(`Resource use: ${topology.title}`)}`, renderTable('activity', rows)];
  });
  const rows = cases.flatMap((result) => labelled('', useByNode(result)));
  return [...parts, renderNotes(rows, cases)].join('\n\n');
}

/** @param {CaseResult[]} cases */
function renderRoles(cases) {
  const uses = cases.map((result) => ({ id: result.id, uses: useByRole(result) }));
  const rows = uses.flatMap(({ id, uses: own }) =>
    labelled(
      id,
      own.filter(({ role }) => role !== 'sentinel'),
    ),
  );
  const sentinels = uses.flatMap(({ uses: own }) => own.filter(({ role }) => role === 'sentinel'));
  const all = [...rows, ...sentinels.map((use) => ({ label: '', use }))];
  return [
    '<details>',
    `<summary>Resource use in ${plural(cases.length, 'case')}</summary>`,
    renderTable('case', rows),
    ...(sentinels.length > 0 ? [renderSentinels(sentinels)] : []),
    renderNotes(all, cases),
    '</details>',
  ].join('\n\n');
}

/**
 * One line for all cases, because the case hardly affects Sentinels.
 *
 * @param {Use[]} uses at least one
 */
function renderSentinels(uses) {
  const spread = (
    /** @type {(use: Use) => number | null} */ value,
    /** @type {(value: number) => string} */ format,
  ) => {
    const known = uses.map(value).filter((each) => each !== null);
    if (known.length === 0) return UNKNOWN;
    const [low, high] = [Math.min(...known), Math.max(...known)];
    return format(low) === format(high) ? format(low) : range(low, high, format);
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
function renderTable(first, rows) {
  const events = Object.keys(EVENTS).filter((event) => happened(rows, /** @type {keyof typeof EVENTS} */ (event)));
  const shown = [
    ...ALWAYS,
    ...(rows.some(({ use }) => use.toReplicas) ? [TO_REPLICAS] : []),
    ...events.map((event) => eventColumn(/** @type {keyof typeof EVENTS} */ (event))),
  ];
  const header = [first, 'node', ...shown.map(({ title }) => title)];
  const cells = rows.map(({ label, use }) =>
    [label, use.role === 'primary' && use.name !== 'primary' ? `${use.name}, primary` : use.name].concat(
      shown.map(({ cell }) => cell(use)),
    ),
  );
  return markdownTable(
    [header, ...cells].map((row) => row.map(escapeText)),
    {
      align: ['left', 'left', ...shown.map(() => 'right')],
    },
  );
}

/**
 * @param {keyof typeof EVENTS} event
 * @returns {Shown}
 */
function eventColumn(event) {
  return { title: EVENTS[event], cell: (use) => (use[event] === null ? '' : count(use[event])) };
}

/**
 * @param {Row[]} rows
 * @param {keyof typeof EVENTS} event
 */
function happened(rows, event) {
  return rows.some(({ use }) => use[event]);
}

/**
 * @param {Row[]} rows
 * @param {CaseResult[]} cases
 */
function renderNotes(rows, cases) {
  const names = /** @type {(keyof typeof EVENTS)[]} */ (Object.keys(EVENTS));
  const counted = names.filter((event) => rows.some(({ use }) => use[event] !== null));
  const none = counted.filter((event) => !happened(rows, event)).map((event) => EVENT_NAMES[event]);
  const most = Math.max(...cases.map(({ rounds }) => rounds.length));
  const lines = [
    `CPU is a share of one core. Network and block devices are bytes a second in timed rounds${most > 1 ? '; medians over the rounds' : ''}.`,
    'A row with several nodes shows their sum. Network of the load process includes its few files; network of a node includes this ' +
      'tool’s own requests.',
    'Network: on the local backend the bytes that the process counts; with Docker the bytes at the container’s interface, with headers.',
    'Block out: on the local backend the bytes that a process gave to the system, a child’s when the child has ended; with Docker ' +
      'the bytes that devices wrote, perhaps of an earlier round.',
    'Memory of a Redis node is its resident memory, without the page cache of its files.',
  ];
  if (cases.some(({ params }) => params.during !== undefined || params.settings?.save)) {
    lines.push('CPU and memory of a node exclude a child that rewrites or saves, and the pages copied because of it.');
  }
  const seconds = Math.min(...cases.flatMap(({ rounds }) => rounds.map((round) => round.seconds)));
  if (rows.some(({ use }) => use.role === 'sentinel') && seconds > 0)
    lines.push(`On the local backend a Sentinel’s CPU is counted in steps of ${percent(TICK_SECONDS / seconds)}.`);
  if (none.length > 0) lines.push(`No ${none.join(' or ')}.`);
  if (!counted.includes('delayedFsyncs')) lines.push('Delayed fsyncs are not known: no node had an append-only file.');
  return bulletList(lines.map(escapeText));
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
export function orUnknown(value, format) {
  return value === null ? UNKNOWN : format(value);
}
