/**
 * What nodes used, as `docker stats` shows it, in Markdown.
 */
import { markdownTable } from 'markdown-table';
import { bytes, count, duration, percent, plural, range, rate } from './format.js';
import { escapeText, list } from './markdown-text.js';
import { caseFor, hasUse, othersShare, RESOURCES, topologiesOf, useByNode, useByRole, useOf } from './resources.js';
import { activityOf, cpuText } from './resources-findings.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./resources.js').Use} Use
 *
 * @typedef {Object} Row
 * @property {string} label
 * @property {Use} use
 *
 * @typedef {Object} Shown a column
 * @property {string} title
 * @property {(use: Use) => string} cell
 */

const UNKNOWN = 'not known';
/** Of all cores: what an idle system and rounding take is far less. */
const MUCH = 0.15;
/** What the system counts the CPU of a process in, where the process itself does not tell. */
const TICK_SECONDS = 0.01;

const perSecond = (/** @type {number} */ value) => `${bytes(value)}/s`;

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

/** What hardly ever happens: a column only where it did. */
const EVENTS = Object.freeze({ delayedFsyncs: 'delayed fsyncs', evicted: 'evicted', rejected: 'rejected' });
const EVENT_NAMES = Object.freeze({
  delayedFsyncs: 'delayed fsyncs',
  evicted: 'evicted keys',
  rejected: 'rejected connections',
});

/**
 * @param {BenchmarkResult} benchmark
 * @returns {string} Markdown; of the benchmark about resources a row a node, of others one a role, folded away; empty when its
 *   rounds have no such figures
 */
export function renderResources(benchmark) {
  const cases = benchmark.cases.filter(hasUse);
  if (cases.length === 0) return '';
  return benchmark.name === RESOURCES ? renderNodes(cases) : renderRoles(cases);
}

/**
 * What moves from the primary to its replicas, at a glance.
 *
 * @param {{benchmarks: BenchmarkResult[], environment: {cores: number}}} result
 * @returns {string} Markdown; empty when the benchmark about resources was not measured
 */
export function resourcesAnswer({ benchmarks, environment }) {
  const own = benchmarks.find(({ name }) => name === RESOURCES);
  const cases = own?.cases.filter(hasUse) ?? [];
  const topologies = topologiesOf(cases);
  if (topologies.length === 0) return '';
  /** @type {[string, 'idle' | 'set' | 'get', (result: CaseResult) => string][]} */
  const lines = [
    ['idle: CPU of primary / replicas', 'idle', cpuPair],
    ['writing: acknowledged', 'set', ({ summary }) => rate(summary.throughput.median)],
    ['writing: p99', 'set', ({ summary }) => duration(summary.latencyNs.p99)],
    ['writing: CPU of primary / replicas', 'set', cpuPair],
    ['writing: network out of primary / replicas', 'set', networkPair],
    ['reading: answered', 'get', ({ summary }) => rate(summary.throughput.median)],
    ['reading: p99', 'get', ({ summary }) => duration(summary.latencyNs.p99)],
    ['reading: CPU of primary / replicas', 'get', cpuPair],
    ['reading: network out of primary / replicas', 'get', networkPair],
  ];
  const rows = lines.map(([title, operation, cell]) => [
    title,
    ...topologies.map((topology) => {
      const result = caseFor(topology, operation);
      return result ? cell(result) : 'not measured';
    }),
  ]);
  const header = ['', ...topologies.map(({ title }) => title)];
  const table = markdownTable(
    [header, ...rows].map((row) => row.map(escapeText)),
    {
      align: ['left', ...topologies.map(() => 'right')],
    },
  );
  return [
    '## What moves from the primary to its replicas',
    table,
    'CPU: of one core, replicas together. Where there are replicas, all reads go to them.',
    ...aboutOthers(cases, environment.cores),
  ].join('\n\n');
}

/**
 * @param {readonly CaseResult[]} cases
 * @param {number} cores
 * @returns {string[]} a warning when something else took much of the machine
 */
export function aboutOthers(cases, cores) {
  const most = Math.max(0, ...cases.map((result) => othersShare(result, cores) ?? 0));
  if (most < MUCH) return [];
  const words = `Something that has no part in this kept up to ${percent(most)} of the machine’s cores busy meanwhile: measure again`;
  return [`**${words} when it is quiet.**`];
}

/** @param {CaseResult} result */
function cpuPair(result) {
  const replicas = useOf(result, 'replica');
  return [cpuText(useOf(result, 'primary')?.cpu), ...(replicas ? [cpuText(replicas.cpu)] : [])].join(' / ');
}

/** @param {CaseResult} result */
function networkPair(result) {
  const nodes = [useOf(result, 'primary'), useOf(result, 'replica')].filter((use) => use !== undefined);
  return nodes.map(({ networkOut }) => orUnknown(networkOut, perSecond)).join(' / ');
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
 * What Sentinels use has little to do with the case.
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
 * @param {string} label shown only where it changes
 * @param {Use[]} uses
 * @returns {Row[]}
 */
function labelled(label, uses) {
  return uses.map((use, i) => ({ label: i === 0 ? label : '', use }));
}

/**
 * @param {string} first what the labels are
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
    `CPU is that of one core; network and block devices a second, while a round was timed${most > 1 ? '; medians over the rounds' : ''}.`,
    'Several nodes in a row: together. The network of the load process is all that it read and wrote, its few files too; ' +
      'the nodes’ also holds what this tool asked them.',
    'On the local backend network is what the process itself counts; with Docker it is what passes the container’s interface, ' +
      'headers and all.',
    'Block out is on the local backend what a process handed to the system, which writes it when it sees fit, and that of a child ' +
      'when it has ended; with Docker what the devices took, which may be of an earlier round.',
    'Memory of a Redis node is what is resident, without the page cache of its files.',
  ];
  if (cases.some(({ params }) => params.during !== undefined || params.settings?.save)) {
    lines.push(
      'Its CPU and memory are those of its own process: a child that rewrites or saves, and the pages that are copied because of it, ' +
        'are not in them.',
    );
  }
  const seconds = Math.min(...cases.flatMap(({ rounds }) => rounds.map((round) => round.seconds)));
  if (rows.some(({ use }) => use.role === 'sentinel') && seconds > 0)
    lines.push(`On the local backend a Sentinel’s CPU is counted in steps of ${percent(TICK_SECONDS / seconds)}.`);
  if (none.length > 0) lines.push(`Of ${none.join(', ')} there was none.`);
  if (!counted.includes('delayedFsyncs'))
    lines.push('No node had an append-only file: fsyncs that are late were not counted.');
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
function orUnknown(value, format) {
  return value === null ? UNKNOWN : format(value);
}
