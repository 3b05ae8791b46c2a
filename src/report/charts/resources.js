/**
 * What moves from the primary to its replicas: CPU, and what each node sends, for a write and for a read.
 */
import { plural } from '../format.js';
import { caseFor, topologiesOf, useOf } from '../resources.js';
import { medianNote } from './against.js';
import { barChart } from './bars.js';

/**
 * @typedef {import('../schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('../schema.js').CaseResult} CaseResult
 * @typedef {import('./types.js').Chart} Chart
 *
 * @typedef {import('./bars.js').Part & {value: (one: CaseResult) => number | null | undefined}} Part undefined: there is no such node
 */

const OPERATIONS = /** @type {const} */ ([
  ['set', 'write'],
  ['get', 'read'],
]);
const NS_A_SECOND = 1e9;

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
 * @returns {Chart[]} of an operation each: how many there were is another question, and depends on who else shares the machine
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
  /** @type {(parts: readonly Part[], what: Pick<import('./bars.js').BarOptions, 'id' | 'title' | 'axis' | 'format' | 'note'>) => Chart | null} */
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
      note: 'All replicas together. Where there are replicas, they are read from, and not the primary.',
    }),
    chartOf(NETWORK_PARTS, {
      id: `${benchmark.name}.network`,
      title: 'Bytes on the network for an operation',
      axis: 'bytes an operation',
      format: 'bytes',
      note: 'What the primary sends to its replicas grows with their number; what they send when they are read from it no longer sends. What replicas receive is not drawn: of a write it is what the primary sends to them, of a read the request.',
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
  // The stream is counted by Redis, what is sent by the system: where clients get next to nothing, noise is left.
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

/** @param {import('../resources.js').Topology} topology which a read does not wait for */
function nodesOf({ replicas }) {
  if (replicas === 0) return 'no replicas';
  return replicas === undefined ? 'all replicas' : plural(replicas, 'replica');
}
