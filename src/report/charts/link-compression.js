/**
 * What compression saves on the link, against what it takes of a CPU.
 */

import { count, duration } from '../format.js';
import { compressionOf, tunnelName } from '../link-compression.js';
import { medianNote } from './against.js';
import { grid, legend, valueAxis } from './parts.js';

/**
 * @typedef {import('../schema.js').CaseResult} CaseResult
 * @typedef {import('./types.js').Chart} Chart
 */

/**
 * @param {import('../schema.js').BenchmarkResult} benchmark the benchmark `link-compression`
 * @returns {Chart[]}
 */
export function compressionCharts({ name, cases }) {
  // A tunnel that carried less than was asked for took less of a CPU for that alone.
  const known = cases.flatMap((one) => {
    const figures = compressionOf(one);
    return figures?.whole && figures.kept ? [{ one, figures, group: groupOf(one) }] : [];
  });
  const groups = [...new Set(known.map(({ group }) => group))];
  const costs = known.flatMap(({ one, figures, group }) =>
    figures.primaryEndCpu === null || figures.stream === 0
      ? []
      : [
          {
            tunnel: tunnelName(one),
            group,
            ratio: figures.ratio,
            cpuMs: perMegabyte(figures.primaryEndCpu, figures.stream),
          },
        ],
  );
  return costs.length < 2 ? [] : [costChart(name, groups, costs, medianNote(known.map(({ one }) => one)))];
}

const NS_A_MS = 1e6;
const TUNNEL = 'tunnel';
const RATIO = 'stream to wire';
const cpuOf = (/** @type {string} */ group) => `CPU, ${group}`;
const GROUP_LOOKS = Object.freeze([
  { color: /** @type {const} */ ('$blue'), symbol: 'circle' },
  { color: /** @type {const} */ ('$orange'), symbol: 'diamond' },
  { color: /** @type {const} */ ('$sky'), symbol: 'triangle' },
]);

/**
 * @param {string} name of the benchmark
 * @param {readonly string[]} groups
 * @param {readonly {tunnel: string, group: string, ratio: number, cpuMs: number}[]} costs
 * @param {string} medians what the figures are over the rounds
 * @returns {Chart}
 */
function costChart(name, groups, costs, medians) {
  const shown = groups.filter((group) => costs.some((each) => each.group === group));
  return {
    id: `${name}.cost`,
    title: 'What compression saves and what CPU it takes',
    alt: costs
      .map(
        ({ tunnel, group, ratio, cpuMs }) =>
          `${tunnel}, ${group}: 1 to ${ratio.toFixed(2)}, ${duration(cpuMs * NS_A_MS)} of CPU a MB.`,
      )
      .join(' '),
    note: `Above is less on the wire, to the left is less CPU, which is that of the tunnel at the primary’s end. Only where the rate was reached that was asked for. Without a tunnel a byte of stream is a byte on the wire.${medians}`,
    columns: [
      { name: TUNNEL },
      { name: RATIO, format: 'times' },
      ...shown.map((group) => ({ name: cpuOf(group), format: /** @type {const} */ ('milliseconds') })),
    ],
    rows: costs.map(({ tunnel, group, ratio, cpuMs }) => [
      tunnel,
      ratio,
      ...shown.map((each) => (each === group ? cpuMs : null)),
    ]),
    height: 400,
    option: {
      grid: grid({ top: 96, right: 90 }),
      legend: { ...legend(shown), itemWidth: 12, itemHeight: 12, itemGap: 24 },
      tooltip: { trigger: 'item' },
      xAxis: valueAxis('CPU time for a megabyte of stream', { format: 'milliseconds', across: true, min: 0 }),
      // With room for the name of the highest.
      yAxis: {
        ...valueAxis('bytes of stream for a byte on the wire', { format: 'times', min: 0 }),
        boundaryGap: [0, '15%'],
      },
      series: shown.map((group) => {
        const { color, symbol } = GROUP_LOOKS[groups.indexOf(group) % GROUP_LOOKS.length];
        return {
          type: 'scatter',
          name: group,
          encode: { x: cpuOf(group), y: RATIO },
          symbol,
          symbolSize: 12,
          itemStyle: { color, opacity: 1 },
          // Slanted, so that names of points beside each other do not lie over each other.
          label: { show: true, position: 'top', rotate: 30, align: 'left', formatter: `{@${TUNNEL}}`, color: '$ink' },
        };
      }),
    },
  };
}

/** @param {CaseResult} one */
function groupOf({ params: { pattern, pipeline } }) {
  return `${pattern ?? ''} keys, pipelines of ${count(pipeline)}`;
}

/**
 * @param {number} cpu CPU seconds a second
 * @param {number} stream bytes a second, above 0: not every tunnel carried as much
 * @returns {number} milliseconds of CPU time
 */
function perMegabyte(cpu, stream) {
  return (1e3 * 1e6 * cpu) / stream;
}
