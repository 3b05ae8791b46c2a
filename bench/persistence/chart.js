/**
 * The chart of persistence: throughput of SET with each mode, relative to no persistence, with a symbol for each storage.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 */
import { dotChart } from '../../src/report/charts/dots.js';
import { styleAt } from '../../src/report/charts/styles.js';
import { modeTitle, PAYLOAD } from './modes.js';
import { storagesOf } from './tables.js';

const LABEL_WIDTH = 260;
/** Row names take up to three lines on a narrow page. */
const MORE_ROW = 6;

/** @param {readonly CaseFigures[]} rows @returns {Chart | null} null: too few */
export function throughputChart(rows) {
  const shown = rows.filter(
    ({ of, params }) =>
      of['throughput-ratio'] !== undefined &&
      params.operation === 'set' &&
      params.payloadBytes === PAYLOAD &&
      params.replicas === 0 &&
      params.preloadKeys === undefined,
  );
  const chart = dotChart({
    id: 'persistence.throughput',
    title: 'Throughput of SET with persistence, compared with none',
    note: 'Medians with 95% intervals. The dashed line means no change.',
    rowName: 'persistence',
    rows: [...new Set(shown.map(({ params }) => modeTitle(params)))],
    series: storagesOf(shown).map((name, i) => ({ name, style: styleAt(i) })),
    value: (mode, storage) => {
      const row = shown.find(({ params }) => modeTitle(params) === mode && params.storage === storage);
      const ratio = row?.of['throughput-ratio'];
      return ratio && { median: ratio.median, low: Number(ratio.low), high: Number(ratio.high) };
    },
    axis: 'times the throughput without persistence',
    format: 'times',
    log: true,
    reference: 1,
  });
  if (chart === null) return null;
  const { yAxis } = chart.option;
  const axisLabel = { ...yAxis.axisLabel, width: LABEL_WIDTH, overflow: 'break', lineHeight: 14, interval: 0 };
  return {
    ...chart,
    alt: 'The table above has most figures.',
    height: chart.height + MORE_ROW * chart.rows.length,
    option: { ...chart.option, yAxis: { ...yAxis, axisLabel } },
  };
}
