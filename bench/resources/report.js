/**
 * The report of the benchmark `resources`: findings, the front page and the charts.
 *
 * @import { BenchmarkResult, CaseResult, Finding, Result } from '../../src/result/schema.js'
 * @import { BarOptions, Part as BarPart } from '../../src/report/charts/bars.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { Operation, Topology } from '../../src/report/resources.js'
 * @import { FrontPage } from '../../src/run/types.js'
 */

import { bytes, duration, interval, percent, plural, rangeOrOne, rate } from '../../src/format.js';
import { markdown, rightAligned, table, text } from '../../src/report/blocks.js';
import { medianNote } from '../../src/report/charts/against.js';
import { barChart } from '../../src/report/charts/bars.js';
import { roundsText, tell } from '../../src/report/findings.js';
import { aboutOthers, cpuText, hasUse, orUnknown, perSecond, topologiesOf, useOf } from '../../src/report/resources.js';
import { sum } from '../../src/stats/statistics.js';
import { NS_A_SECOND } from '../../src/units.js';

export const RESOURCES = 'resources';

/**
 * @typedef {BarPart & {value: (one: CaseResult) => number | null | undefined}} Part undefined: the stack has no such node
 *
 * @typedef {{title: string, replicas: number, result: CaseResult}} Measured
 */

const ADVICE =
  'Send a read to a replica only if an old answer is allowed there: a replica may lag without saying so. Leave each replica room for the reads of one that is away. ' +
  'The link to each replica has to carry your writes times the bytes of a write above. Each node may become the primary, which needs memory for `client-output-buffer-limit` and `repl-backlog-size` beside the data.';
/** A command thread this busy is the limit; the same share as for the primary. */
const BUSY = 0.9;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
export function resourceFindings(benchmark) {
  return [
    readingFinding(measured(benchmark, 'get')),
    writingFinding(measured(benchmark, 'set')),
    cpuFinding(measured(benchmark, 'set')),
    streamFinding(measured(benchmark, 'set')),
    idleFinding(measured(benchmark, 'idle')),
  ].flatMap((finding) => finding ?? []);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Operation} operation
 * @returns {Measured[]} a case for each topology, the fewest replicas first
 */
export function measured({ cases }, operation) {
  return topologiesOf(cases)
    .flatMap((topology) => {
      const result = caseFor(topology, operation);
      return result ? [{ title: topology.title, replicas: topology.replicas ?? 0, result }] : [];
    })
    .sort((a, b) => a.replicas - b.replicas);
}

/**
 * @param {string} id
 * @param {string} sentence
 * @param {readonly Measured[]} cases
 * @returns {Finding}
 */
function finding(id, sentence, cases) {
  const rounds = Math.min(...cases.map(({ result }) => result.rounds.length));
  return { id, text: `${sentence} (${roundsText(rounds)})`, evidence: cases.map(({ result }) => result.id) };
}

/** @param {readonly Measured[]} cases @returns {Finding | null} */
function readingFinding([alone, routed]) {
  if (!alone || !routed || alone.replicas > 0) return null;
  const [before, after] = [alone, routed].map(({ result }) => cpuText(useOf(result, 'primary')?.cpu));
  return finding(
    'reading',
    `Reads sent to ${plural(routed.replicas, 'replica')}: primary ${after} of a core instead of ${before}, replicas ${cpuText(useOf(routed.result, 'replica')?.cpu)}; reads ${ratesText(routed.result, alone.result)}`,
    [alone, routed],
  );
}

/**
 * @param {CaseResult} one
 * @param {CaseResult} base
 * @returns {string} such as `110 k/s (108–112) instead of 90.0 k/s (89.1–92.4)`; of intervals that overlap: that it is undecided
 */
export function ratesText({ summary: { throughput: own } }, { summary: { throughput: others } }) {
  const overlap = own.low <= others.high && others.low <= own.high;
  return `${interval(own, rate)} instead of ${interval(others, rate)}${overlap ? ', undecided' : ''}`;
}

/** @param {readonly Measured[]} cases @returns {Finding | null} */
function writingFinding(cases) {
  const [alone, ...rest] = cases;
  const base = alone?.result.summary.throughput.median;
  if (rest.length === 0 || !base) return null;
  const others = rest.map(({ title, result }) => {
    const { median } = result.summary.throughput;
    return `${rate(median)} (${percent(median / base)}) with ${title}`;
  });
  const crowded = rest.some(({ result }) => result.summary.limitedBy === 'machine') ? '; too few CPUs' : '';
  return finding(
    'writing',
    `Write throughput is ${rate(base)} with ${alone.title}; ${others.join('; ')}${crowded}`,
    cases,
  );
}

/** @param {readonly Measured[]} cases @returns {Finding | null} */
function cpuFinding(cases) {
  const shown = cases.flatMap(({ title, result }) => {
    const cpu = perOperation(result, useOf(result, 'primary')?.cpu, NS_A_SECOND);
    return cpu == null ? [] : [`${duration(cpu)} with ${title}`];
  });
  return shown.length < 2 ? null : finding('cpu', `A write costs the primary CPU time of ${shown.join('; ')}`, cases);
}

/** @param {readonly Measured[]} all @returns {Finding | null} null: no replica, or the server does not count these bytes */
function streamFinding(all) {
  const replicated = all.filter(({ replicas }) => replicas > 0);
  const sent = replicated.flatMap(({ replicas, result }) => {
    const total = sentToReplicas(result);
    const writes = acked(result);
    return total === null || writes === 0 ? [] : [Math.round(total / writes / replicas)];
  });
  if (sent.length === 0) return null;
  const [low, high] = [Math.min(...sent), Math.max(...sent)];
  const shown = rangeOrOne(low, high, bytes);
  const value = bytes(replicated[0].result.params.payloadBytes);
  return finding('stream', `Each acknowledged write of ${value} sends ${shown} to every replica`, replicated);
}

/** @param {readonly Measured[]} cases @returns {Finding | null} */
function idleFinding(cases) {
  if (cases.length === 0) return null;
  const shown = /** @type {const} */ ([
    ['primary', 'the primary'],
    ['replica', 'all replicas'],
    ['sentinel', 'all Sentinels'],
  ]).flatMap(([role, name]) => {
    const cpus = cases.flatMap(({ result }) => useOf(result, role)?.cpu ?? []);
    return cpus.length === 0 ? [] : [`${name} ${percent(Math.max(...cpus))}`];
  });
  return shown.length === 0
    ? null
    : finding('idle', `CPU of idle nodes, at most, of one core: ${shown.join(', ')}`, cases);
}

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function resourcesFrontPage({ benchmarks, environment }) {
  const measuredUse = benchmarks.find(({ name }) => name === RESOURCES);
  const cases = measuredUse?.cases.filter(hasUse) ?? [];
  const topologies = topologiesOf(cases);
  const { answer, toldFindings } = tell(
    measuredUse ? [{ benchmark: measuredUse.name, findings: resourceFindings(measuredUse) }] : [],
  );
  if (topologies.length === 0) return { answer, toldFindings, evidence: [] };
  /** @type {[string, 'idle' | 'set' | 'get', (result: CaseResult) => string][]} */
  const lines = [
    ['idle: CPU of primary / replicas', 'idle', cpuPair],
    ['writing: acknowledged', 'set', ({ summary }) => rate(summary.throughput.median)],
    ['writing: p99', 'set', ({ summary }) => duration(summary.latencyNs.p99)],
    ['writing: CPU of primary / replicas', 'set', cpuPair],
    ['writing: network out of primary / replicas', 'set', networkPair],
    ['writing: limited by', 'set', limitOf],
    ['reading: answered', 'get', ({ summary }) => rate(summary.throughput.median)],
    ['reading: p99', 'get', ({ summary }) => duration(summary.latencyNs.p99)],
    ['reading: CPU of primary / replicas', 'get', cpuPair],
    ['reading: network out of primary / replicas', 'get', networkPair],
    ['reading: limited by', 'get', limitOf],
  ];
  const rows = lines.map(([title, operation, cell]) => [
    title,
    ...topologies.map((topology) => {
      const result = caseFor(topology, operation);
      return result ? cell(result) : 'not measured';
    }),
  ]);
  const columns = ['', ...rightAligned(topologies.map(({ title }) => title))];
  return {
    answer,
    toldFindings,
    evidence: [
      table(columns, rows),
      text('CPU: of one core, replicas together. Reads go to the replicas if there are any.'),
      ...aboutOthers(cases, environment.cores).map(markdown),
    ],
    actions: [text(ADVICE)],
    limits: [
      'All nodes and the load share one machine: a figure limited by the machine says little about separate machines, which have more CPU, and a network that WAIT waits for.',
      'Memory is in `details.md`.',
      'p99 is service time (closed loop).',
    ],
  };
}

/**
 * The general verdict ignores replicas, but here they answer the reads.
 *
 * @param {CaseResult} result
 * @returns {string} such as `primary` or `a replica (97%)`
 */
export function limitOf({ summary: { limitedBy }, rounds }) {
  const replicas = rounds.at(-1)?.nodes.filter(({ role }) => role === 'replica') ?? [];
  const busiest = Math.max(0, ...replicas.map(({ mainThreadCpu }) => mainThreadCpu ?? 0));
  if (busiest < BUSY) return limitedBy;
  return `a replica (${percent(busiest)})${limitedBy === 'nothing' ? '' : `, ${limitedBy}`}`;
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

const OPERATIONS = /** @type {const} */ ([
  ['set', 'write'],
  ['get', 'read'],
]);

/** @type {readonly Part[]} */
const CPU_PARTS = Object.freeze([
  { name: 'primary', color: '$red', value: cpuOf('primary') },
  { name: 'replicas', color: '$sky', striped: true, value: cpuOf('replica') },
]);

/** @type {readonly Part[]} */
const NETWORK_PARTS = Object.freeze([
  { name: 'primary received', color: '$orange', value: sentBy('primary', 'networkIn') },
  { name: 'primary sent to replicas', color: '$blue', striped: true, value: toReplicas },
  { name: 'primary sent to clients', color: '$red', value: toClients },
  { name: 'replicas sent', color: '$sky', striped: true, value: sentBy('replica', 'networkOut') },
]);

/**
 * @param {BenchmarkResult} benchmark the resources benchmark
 * @returns {Chart[]} for one operation, because rates depend on the load of the machine
 */
export function resourceCharts(benchmark) {
  const rows = OPERATIONS.flatMap(([operation, name]) =>
    topologiesOf(benchmark.cases).flatMap((topology) => {
      const one = caseFor(topology, operation);
      const title = operation === 'get' ? nodesOf(topology) : topology.title;
      return one && one.summary.throughput.median > 0 ? [{ title: `${name}, ${title}`, one }] : [];
    }),
  );
  if (rows.length < 2) return [];
  /** @type {(parts: readonly Part[], what: Pick<BarOptions, 'id' | 'title' | 'axis' | 'format' | 'note'>) => Chart | null} */
  const chartOf = (parts, what) =>
    barChart({
      ...what,
      rowName: 'operation',
      parts,
      stacked: true,
      note: `${what.note}${medianNote(rows.map(({ one }) => one))}`,
      rows: rows.map(({ title, one }) => ({ title, values: parts.map(({ value }) => value(one)) })),
    });
  return [
    chartOf(CPU_PARTS, {
      id: `${benchmark.name}.cpu`,
      title: 'CPU time of the nodes for an operation',
      axis: 'CPU time an operation',
      format: 'duration',
      note: 'All replicas together. Reads go to the replicas if there are any.',
    }),
    chartOf(NETWORK_PARTS, {
      id: `${benchmark.name}.network`,
      title: 'Bytes on the network for an operation',
      axis: 'bytes an operation',
      format: 'bytes',
      note: 'The primary sends each write to every replica. Bytes that replicas receive are not drawn: writes from the primary, and requests.',
    }),
  ].filter((chart) => chart !== null);
}

/**
 * @param {'primary' | 'replica'} role
 * @returns {Part['value']} nanoseconds
 */
function cpuOf(role) {
  return (one) => perOperation(one, useOf(one, role)?.cpu, NS_A_SECOND);
}

/**
 * @param {'primary' | 'replica'} role
 * @param {'networkIn' | 'networkOut'} way
 * @returns {Part['value']} bytes
 */
function sentBy(role, way) {
  return (one) => perOperation(one, useOf(one, role)?.[way]);
}

/** @param {CaseResult} one */
function toReplicas(one) {
  return useOf(one, 'replica') ? perOperation(one, useOf(one, 'primary')?.toReplicas) : undefined;
}

/** @param {CaseResult} one */
function toClients(one) {
  const primary = useOf(one, 'primary');
  if (!primary || primary.networkOut === null) return null;
  const stream = useOf(one, 'replica') ? primary.toReplicas : 0;
  // Redis counts the stream and the system counts all bytes: with few bytes for clients the difference is noise.
  return stream === null ? null : perOperation(one, Math.max(0, primary.networkOut - stream));
}

/**
 * @param {CaseResult} one
 * @param {number | null | undefined} perSecond
 * @param {number} [unit]
 */
function perOperation({ summary }, perSecond, unit = 1) {
  return perSecond == null ? perSecond : (unit * perSecond) / summary.throughput.median;
}

/** @param {Topology} topology without its WAIT, which reads do not use */
function nodesOf({ replicas }) {
  if (replicas === 0) return 'no replicas';
  return replicas === undefined ? 'all replicas' : plural(replicas, 'replica');
}

/**
 * @param {Topology} topology
 * @param {Operation} operation
 * @returns {CaseResult | undefined} undefined: not measured
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
