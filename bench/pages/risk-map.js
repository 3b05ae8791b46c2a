/**
 * A heat map of the risk of a loss: in how many trials acknowledged writes were lost, and the exact interval of the probability.
 *
 * @import { Grid, Square } from '../../src/report/charts/grid.js'
 * @import { Loss } from '../../src/audit/losses.js'
 */

import { count, plural } from '../../src/format.js';
import { rowOf } from '../../src/report/charts/grid.js';
import { riskText } from '../../src/report/trials/losses.js';

/**
 * @param {Pick<Loss, 'losing' | 'trials'>} loss of many trials
 * @param {Pick<Square, 'scenario' | 'writer' | 'column'>} place
 * @returns {Square} trials with a loss of all trials, and below them the interval
 */
export function riskSquare({ losing, trials }, place) {
  const [, risk = ''] = /\((.*)\)$/.exec(riskText({ losing, trials })) ?? [];
  return { ...place, value: losing / trials, text: `${losing} of ${trials}\n${risk}`, more: [losing, trials, risk] };
}

/**
 * @param {string} id of the chart
 * @param {Square[]} squares of {@link riskSquare}
 * @returns {Grid}
 */
export function riskMap(id, squares) {
  const losing = squares.filter(({ value }) => value > 0);
  const [worst] = losing.toSorted((a, b) => b.value - a.value);
  return {
    id,
    title: 'Risk of losing acknowledged writes in a failure',
    alt:
      `Losses in ${count(losing.length)} of ${plural(squares.length, 'combination')} of fault and mode` +
      (worst ? `; most often ${worst.text.replace('\n', ' trials, ')}, in ${rowOf(worst)} with ${worst.column}.` : '.'),
    note:
      'Trials that lost an acknowledged write, of all trials; below, the exact 95% interval of the probability (Clopper–Pearson). ≤: no trial ' +
      'lost a write, so the probability has only this upper bound. Empty: not measured, or too few trials.',
    value: { name: 'share of trials', format: 'percent' },
    more: [{ name: 'trials with a loss', format: 'count' }, { name: 'trials', format: 'count' }, { name: 'risk' }],
    limits: [0.2, 0.5, 0.8],
    names: ['no loss seen: see its bound', 'below 20% of trials', '20 to 50%', '50 to 80%', '80% and more'],
    squares,
  };
}
