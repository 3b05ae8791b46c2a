/**
 * The decision table as cost against loss: what each configuration leaves of async's throughput, and what it lost when the primary was
 * cut from its peers, or killed.
 *
 * A share of nothing has no place on a logarithmic axis, and no other axis tells 0.1 % from none: who lost nothing stands in rows of
 * their own below, the cheapest first.
 */
import { cheaperFirst, decisionRows } from '../decision.js';
import { intervalName } from '../findings.js';
import { count, interval, percent } from '../format.js';
import { categoryAxis, referenceLine, valueAxis } from './parts.js';
import { levelStyle } from './styles.js';

/**
 * @typedef {import('../schema.js').Result} Result
 * @typedef {import('../decision.js').Failure} Failure
 * @typedef {import('./types.js').Chart} Chart
 *
 * @typedef {Object} Point a configuration that has both, cost and loss
 * @property {import('../decision.js').DecisionRow} row
 * @property {import('../schema.js').IntervalValue} ratio to async, at batch 1
 * @property {number} share of the acked writes that was lost, 0 … 1
 * @property {number} lost
 * @property {number} acked
 */

const NAME = 'configuration';
const LEVEL = 'level';
const RATIO = 'of async';
const LOW = 'of async, low';
const HIGH = 'of async, high';
const SHARE = 'lost, share';

const X_NAME = { name: 'throughput at batch 1, of that of async' };

const WORDS = Object.freeze({
  cut: 'the primary was cut from its peers',
  kill: 'the primary was killed',
});
/** So far above its axis is what lost least. */
const ABOVE_AXIS = 0.8;
const TOP = 70;
/** Of what lost something, in pixels; and of each row of what lost nothing. */
const PLOT = 230;
const ROW = 22;
const BETWEEN = 34;
/** Of the width; the names stand there. A narrow page takes numbers for margins that it may narrow. */
const LEFT = '32%';
const NAMES_END = '31%';
const NAME_WIDTH = 190;
/** Of both plots the same, whatever their labels take: one lies above the other. */
const SIDES = Object.freeze({ left: LEFT, right: '12%', outerBoundsMode: 'none' });

/**
 * @param {Result} result
 * @returns {Chart[]} of each failure in which a configuration lost something; none: there is nothing to decide by
 */
export function decisionCharts(result) {
  const failures = /** @type {const} */ (['cut', 'kill']);
  const all = failures.map((failure) => ({ failure, points: pointsOf(result, failure) }));
  const told = all.filter(({ points }) => points.length > 1);
  // Where nobody lost anything there is one row of zeros, which a sentence tells as well.
  const harmless = told.filter(({ points }) => points.every(({ share }) => share === 0));
  return told
    .filter((each) => !harmless.includes(each))
    .map(({ failure, points }) => costAgainstLoss(result, failure, points, harmless));
}

/**
 * @param {Result} result
 * @param {Failure} failure
 * @returns {Point[]} the cheapest first
 */
function pointsOf(result, failure) {
  return decisionRows(result)
    .sort(cheaperFirst(1))
    .flatMap((row) => {
      const ratio = row.healthy[1]?.relative;
      const loss = row.lost[failure];
      if (!ratio || !loss) return [];
      return [{ row, ratio, share: loss.lost / loss.acked, lost: loss.lost, acked: loss.acked }];
    });
}

/**
 * @param {Result} result
 * @param {Failure} failure
 * @param {Point[]} points
 * @param {{failure: Failure, points: Point[]}[]} harmless failures in which nobody lost anything
 * @returns {Chart}
 */
function costAgainstLoss(result, failure, points, harmless) {
  const safe = points.filter(({ share }) => share === 0).map(({ row }) => row.title);
  const lossy = points.filter(({ share }) => share > 0);
  const band = safe.length * ROW;
  const lowest = 10 ** Math.floor(Math.log10(ABOVE_AXIS * Math.min(...lossy.map(({ share }) => share))));
  const most = Math.max(1, ...points.map(({ ratio }) => ratio.high));
  const end = Math.ceil(most * 4) / 4;
  const xAxis = { ...valueAxis('', { format: 'percent', across: true, min: 0, max: end }), interval: 0.25 };
  const styles = points.map(({ row }) => /** @type {const} */ ([row.level, levelStyle(row.params)]));
  const rounds = Math.min(...points.map(({ row }) => row.healthy[1]?.rounds ?? 0));
  return {
    id: `decision.${failure}`,
    title: `Throughput kept and acknowledged writes lost when ${WORDS[failure]}`,
    alt: altText(points),
    note: [
      'To the right is cheap, below is safe.',
      rounds > 1
        ? `Throughput is that of batch 1, relative to async, with its ${intervalName(rounds)}.`
        : 'Throughput is that of batch 1, relative to async.',
      ...harmless.map(
        (each) => `When ${WORDS[each.failure]} none of the ${each.points.length} measured lost anything.`,
      ),
      withoutPoint(result, points),
    ]
      .filter((part) => part !== '')
      .join(' '),
    columns: [
      { name: NAME },
      { name: LEVEL },
      { name: RATIO, format: 'percent' },
      { name: LOW, format: 'percent' },
      { name: HIGH, format: 'percent' },
      { name: SHARE, format: 'percent' },
      { name: 'lost', format: 'count' },
      { name: 'acked', format: 'count' },
    ],
    rows: points.map(({ row, ratio, share, lost, acked }) => [
      row.title,
      row.level,
      ratio.median,
      ratio.low,
      ratio.high,
      share,
      lost,
      acked,
    ]),
    height: TOP + PLOT + (safe.length > 0 ? BETWEEN + band : 0) + 56,
    option: {
      grid: [
        { ...SIDES, top: TOP, height: PLOT },
        ...(safe.length > 0 ? [{ ...SIDES, top: TOP + PLOT + BETWEEN, height: band }] : []),
      ],
      tooltip: { trigger: 'item' },
      visualMap: {
        type: 'piecewise',
        show: false,
        // Not the configuration: on the axis of a plot it is a number.
        dimension: LEVEL,
        categories: styles.map(([level]) => level),
        inRange: {
          color: Object.fromEntries(styles.map(([level, { color }]) => [level, color])),
          symbol: Object.fromEntries(styles.map(([level, { symbol }]) => [level, symbol])),
        },
      },
      xAxis: [
        { ...xAxis, gridIndex: 0, ...(safe.length > 0 ? { axisLabel: { show: false } } : X_NAME) },
        ...(safe.length > 0 ? [{ ...xAxis, ...X_NAME, gridIndex: 1 }] : []),
      ],
      yAxis: [
        {
          ...valueAxis('share of acknowledged writes lost', { format: 'percent', log: true, min: lowest, max: 1 }),
          gridIndex: 0,
          position: 'right',
          axisLine: { show: false, onZero: false },
          nameTextStyle: { align: 'right', color: '$muted' },
        },
        ...(safe.length > 0
          ? [
              {
                ...categoryAxis({ inverse: true }),
                gridIndex: 1,
                data: safe,
                name: `none lost`,
                nameLocation: 'start',
                nameGap: 12,
                nameTextStyle: { align: 'left', color: '$good', fontWeight: 600 },
                axisLabel: { color: '$ink', width: NAME_WIDTH, overflow: 'truncate', interval: 0 },
              },
            ]
          : []),
      ],
      series: [
        ...pointSeries(0, SHARE, { labels: true }),
        ...(safe.length > 0 ? pointSeries(1, NAME, { labels: false }) : []),
      ],
    },
  };
}

/**
 * Both plots draw from all rows; of a row that has no place on its axis nothing is seen.
 *
 * @param {0 | 1} plot
 * @param {string} y column
 * @param {{labels: boolean}} options
 * @returns {Record<string, any>[]}
 */
function pointSeries(plot, y, { labels }) {
  const axes = { xAxisIndex: plot, yAxisIndex: plot };
  return [
    {
      type: 'custom',
      ...axes,
      renderItem: '@intervalAcross',
      encode: { y, x: [LOW, HIGH] },
      itemStyle: { opacity: 0.5 },
      clip: true,
      silent: true,
      tooltip: { show: false },
    },
    {
      type: 'scatter',
      ...axes,
      symbolSize: 13,
      itemStyle: { opacity: 1 },
      encode: { x: RATIO, y, tooltip: [RATIO, LOW, HIGH, SHARE, 'lost', 'acked'], ...(labels && { itemName: NAME }) },
      ...(labels && {
        label: { show: true, formatter: `{@${NAME}}`, color: '$ink', fontSize: 11, lineHeight: 16 },
        // In one column with the names of the rows below, where none lies over another or over a point.
        labelLayout: { x: NAMES_END, align: 'right', verticalAlign: 'middle', moveOverlap: 'shiftY' },
        labelLine: { show: true, length2: 4, lineStyle: { color: '$line' } },
      }),
      markLine: referenceLine(1),
    },
  ];
}

/**
 * @param {Result} result
 * @param {Point[]} points
 * @returns {string} which configurations are missing; empty: none
 */
function withoutPoint(result, points) {
  const shown = points.map(({ row }) => row.id);
  const missing = decisionRows(result).filter(({ id }) => !shown.includes(id));
  return missing.length === 0 ? '' : `Losses not measured: ${missing.map(({ title }) => title).join('; ')}.`;
}

/** @param {Point[]} points the cheapest first */
function altText(points) {
  const kept = (/** @type {Point} */ { row, ratio }) =>
    `${row.title} kept ${interval(ratio, percent)} of async’s throughput`;
  const safe = points.filter(({ share }) => share === 0);
  const lossy = points.filter(({ share }) => share > 0);
  const least =
    safe.length === 0
      ? 'Each configuration lost writes.'
      : `Nothing was lost by ${safe.map((point) => `${point.row.title} (0 of ${count(point.acked)})`).join(', ')}; the cheapest of them, ${kept(safe[0])}.`;
  const lost = lossy.map(({ row, share }) => `${row.title} ${percent(share)}`).join(', ');
  return `${least} Lost: ${lost}.`;
}
