/**
 * The resources that nodes used, with the columns of `docker stats`, in Markdown.
 */
import { markdownTable } from 'markdown-table';
import { bytes, count, percent, plural, range } from './format.js';
import { escapeText, list } from './markdown-text.js';
import { activityOf, cpuText, hasUse, othersShare, topologiesOf, useByNode, useByRole } from './resource-use.js';

/**
 * @import { BenchmarkResult, CaseResult } from '../result/schema.js'
 * @import { Use } from './resource-use.js'
 */

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
  return list(lines.map(escapeText));
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
