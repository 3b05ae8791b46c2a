/**
 * What a write costs on the replication link, in bytes: its value, and what comes with it.
 */
import { bytes, percent } from '../format.js';
import { demandOf, isMix, sentAs } from '../link-demand.js';
import { medianNote } from './against.js';
import { barChart } from './bars.js';

/**
 * @param {import('../schema.js').BenchmarkResult} benchmark the benchmark `link-demand`
 * @returns {import('./types.js').Chart[]}
 */
export function demandCharts({ name, cases }) {
  const rows = cases.flatMap((one) => {
    const demand = isMix(one) ? null : demandOf(one);
    if (demand === null) return [];
    const { payloadBytes, pattern } = one.params;
    return {
      title: `${sentAs(one)}, ${bytes(payloadBytes)}${pattern === 'random' ? ', random' : ''}`,
      values: [payloadBytes, demand.perWrite - payloadBytes],
      more: [percent((demand.perWrite - payloadBytes) / demand.perWrite), demand.requestPerWrite],
    };
  });
  const chart = barChart({
    id: `${name}.stream`,
    title: 'Replication stream for a write',
    note: `Behind each bar: how much of it is key and protocol.${medianNote(cases)}`,
    rowName: 'sent',
    rows,
    parts: [
      { name: 'value', color: '$sky' },
      { name: 'key and protocol', color: '$orange', striped: true },
    ],
    axis: 'bytes a write',
    format: 'bytes',
    stacked: true,
    more: [{ name: 'of it not value' }, { name: 'request, a write', format: 'bytes' }],
  });
  return chart ? [chart] : [];
}
