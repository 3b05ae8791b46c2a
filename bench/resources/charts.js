/**
 * The chart of the benchmark `resources`: CPU time of the nodes for an operation.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 */
import { figure } from '../../src/facts/query.js';
import { plural } from '../../src/format.js';
import { barChart } from '../../src/report/charts/bars.js';
import { NS_A_SECOND } from '../../src/units.js';

/** @param {Pick<CaseFigures, 'params'>} row @returns {string} such as `2 replicas, WAIT 1` */
export function nodesTitle({ params: { replicas = 0, wait, operation = 'set' } }) {
  const nodes = replicas === 0 ? 'primary alone' : plural(replicas, 'replica');
  return operation === 'set' && wait > 0 ? `${nodes}, WAIT ${wait}` : nodes;
}

/** @param {readonly CaseFigures[]} rows @returns {Chart | null} one operation, because rates depend on the load of the machine; null: too few */
export function cpuChart(rows) {
  const loaded = rows.filter(({ params }) => params.operation !== 'idle');
  if (loaded.length < 2) return null;
  const perOperation = (/** @type {CaseFigures} */ row, /** @type {string} */ metric) => {
    const [cpu, rate] = [figure(row, metric), figure(row, 'throughput')];
    return cpu === null || !rate ? null : (cpu * NS_A_SECOND) / rate;
  };
  return barChart({
    id: 'resources.cpu',
    title: 'CPU time of the nodes for an operation',
    axis: 'CPU time an operation',
    format: 'duration',
    note: 'All replicas together. Reads go to the replicas if there are any.',
    rowName: 'operation',
    parts: [
      { name: 'primary', color: '$red' },
      { name: 'replicas', color: '$sky', striped: true },
    ],
    stacked: true,
    rows: loaded.map((row) => ({
      title: `${row.params.operation === 'get' ? 'read' : 'write'}, ${nodesTitle(row)}`,
      values: [
        perOperation(row, 'primary-cpu'),
        row.params.replicas === 0 ? undefined : perOperation(row, 'replica-cpu'),
      ],
    })),
  });
}
