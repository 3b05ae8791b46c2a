/**
 * Line charts: a figure by pipeline depth, connections or payload. Each durability mode has a line, each value its interval.
 * @import { BenchmarkResult, CaseResult, IntervalValue } from '../../result/schema.js' @import { Chart } from './chart.js'
 * @typedef {{by: 'pipeline' | 'connections' | 'payloadBytes', what: string, label: (value: number) => string}} Steps by: the parameter that
 *   the cases vary, besides their mode; what: its name in words; label: of a value
 * @typedef {{format: 'rate' | 'percent' | 'duration', value: (result: CaseResult) => IntervalValue | undefined}} ChartMeasure its words are
 *   in texts.yaml. value: undefined: no value
 */
import { interval } from '../../format.js';
import { hasEnoughBeyond, p99Interval } from '../../stats/summary.js';
import { costOf } from '../columns.js';
import { intervalName } from '../findings.js';
import { textsIn } from '../template.js';
import { FORMATS } from './chart.js';
import * as parts from './parts.js';
import { modeName, modeStyle } from './styles.js';

/** @satisfies {Record<string, ChartMeasure>} */
const MEASURES = {
  throughput: { format: 'rate', value: ({ summary }) => summary.throughput },
  cost: {
    format: 'percent',
    value: ({ summary }) => summary.relativeToBaseline && costOf(summary.relativeToBaseline.throughput),
  },
  p99: {
    format: 'duration',
    value: (result) => (hasEnoughBeyond(result, 0.01) ? p99Interval(result.summary) : undefined),
  },
};

export const say = textsIn(new URL('texts.yaml', import.meta.url));

/** @param {readonly Pick<CaseResult, 'rounds'>[]} cases that are drawn @returns {string} the meaning of their values and intervals */
export function intervalNote(cases) {
  const rounds = Math.min(...cases.flatMap((one) => one.rounds.length || []));
  return say('interval', 'note', { rounds, interval: intervalName(rounds) });
}

/**
 * @param {keyof typeof MEASURES} id cost: the lost share of the throughput without WAIT; a line for each mode that has this baseline
 * @param {BenchmarkResult} benchmark @param {Steps} steps @returns {Chart | null} null: there is nothing to compare
 */
export function chartAgainst(id, { name, cases }, { by, what, label }) {
  const { format, value } = /** @type {ChartMeasure} */ (MEASURES[id]);
  // The summary of a case without rounds has zeros that were not measured.
  const measured = cases.filter((one) => one.rounds.length > 0 && value(one));
  const steps = [...new Set(measured.map(({ params }) => params[by]))].sort((a, b) => a - b);
  const modes = [...new Map(measured.map(({ params }) => [modeName(params), params]))];
  if (steps.length < 2) return null;
  const values = new Map(measured.map((one) => [`${one.params[by]} ${modeName(one.params)}`, value(one)]));
  const found = (/** @type {number} */ step, /** @type {string} */ mode) => values.get(`${step} ${mode}`);
  const rows = steps.map((step) => [label(step), ...modes.flatMap(([mode]) => parts.intervalCells(found(step, mode)))]);
  const numbers = rows.flatMap((row) => row.filter((cell) => typeof cell === 'number'));
  // Shares of a whole need a linear axis.
  const axisOf = format === 'percent' ? parts.valueAxis : parts.fittedAxis;
  const yAxis = axisOf(say(id, 'axis'), { format, values: numbers });
  return {
    id: `${name}.${id}`,
    title: say(id, 'title', { what }),
    alt: modes
      .map(([mode]) => {
        const ends = [steps[0], steps[steps.length - 1]].flatMap((step) => {
          const figure = found(step, mode);
          return figure ? [`${interval(figure, FORMATS[format])} at ${label(step)}`] : [];
        });
        return `${mode}: ${ends.join(', ')}.`;
      })
      .join(' '),
    note: say('against', 'note', {
      note: say(id, 'note', {
        interval: intervalNote(measured),
        fewestRounds: Math.min(...measured.map(({ rounds }) => rounds.length)),
      }),
      joined: measured.some(({ rounds }) => rounds.length > 1),
      log: yAxis.type === 'log',
      negative: numbers.some((number) => number < 0),
    }),
    columns: [{ name: what }, ...modes.flatMap(([mode]) => parts.intervalColumns(mode, format))],
    rows,
    height: 400,
    option: {
      grid: parts.grid(),
      // The series themselves have no line.
      legend: { ...parts.legend(modes.map(([mode]) => mode)), lineStyle: { width: 2 } },
      xAxis: parts.categoryAxis({ name: what }),
      yAxis,
      series: modes.flatMap(([mode, params], lane) =>
        parts.steppedSeries(
          { name: mode, x: what, style: modeStyle(params), format, lane, lanes: modes.length },
          steps.map((step) => ({ step: label(step), value: found(step, mode) })),
        ),
      ),
    },
  };
}
