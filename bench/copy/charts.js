/**
 * The chart of full copies: how fast a data set was copied.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 */
import { barChart } from '../../src/report/charts/bars.js';
import { differentText, isFull, rateOf } from './figures.js';

/** @param {readonly CaseFigures[]} rows of the benchmark `copy` @returns {Chart | null} one pair each; null: too few */
export function fullChart(rows) {
  return barChart({
    id: 'copy.full',
    title: 'How fast a data set was copied',
    note: 'Medians over the rounds. Behind each bar: keys that differ afterwards.',
    rowName: 'mode',
    rows: rows.flatMap((row) => {
      const rate = isFull(row) ? rateOf(row) : null;
      return rate === null ? [] : [{ title: row.params.copyMode ?? '', values: [rate], more: [differentText(row)] }];
    }),
    parts: [{ name: 'keys copied a second', color: '$blue' }],
    axis: 'keys copied a second',
    format: 'rate',
    more: [{ name: 'keys different' }],
  });
}
