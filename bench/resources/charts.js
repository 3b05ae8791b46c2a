/**
 * The charts of the benchmark `resources`.
 *
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { BarOptions, Part as BarPart } from '../../src/report/charts/bars.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { Operation, Topology } from '../../src/report/resources.js'
 */

import { plural } from '../../src/format.js';
import { medianNote } from '../../src/report/charts/against.js';
import { barChart } from '../../src/report/charts/bars.js';
import { topologiesOf, useOf } from '../../src/report/resources.js';
import { NS_A_SECOND } from '../../src/units.js';

/** @typedef {BarPart & {value: (one: CaseResult) => number | null | undefined}} Part undefined: the stack has no such node */

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
