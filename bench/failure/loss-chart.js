/**
 * A map of the losses that the table shows: the darker, the worse.
 *
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { ModeLoss } from './queries.js'
 */

import { ALL } from '../../src/format.js';
import { EVERYTHING } from '../../src/report/charts/chart.js';
import { gridChart } from '../../src/report/charts/grid.js';
import { FORMATS } from '../../src/report/specs.js';

/** Seconds of lost writes at which a square has a darker colour. */
const LIMITS = Object.freeze([0.1, 1, 10]);

/**
 * @param {readonly ModeLoss[]} losses
 * @param {{modes: readonly string[], faults: readonly string[], id?: string}} shown
 * @returns {Chart | null} null: fewer than two faults or modes, or no loss
 */
export function lossChart(losses, { modes, faults, id = 'failures.lost' }) {
  const squares = faults.flatMap((scenario) =>
    losses
      .filter(({ fault, title, seconds }) => fault === scenario && modes.includes(title) && seconds !== null)
      .map(({ title, all, seconds, writes, losing, trials }) => ({
        scenario,
        writer: '',
        column: title,
        value: all ? EVERYTHING : Number(seconds),
        text: all ? ALL : FORMATS.seconds(seconds),
        more: [writes, losing, trials],
      })),
  );
  const losing = squares.filter(({ value }) => value > 0).length;
  if (losing === 0) return null;
  return gridChart({
    id,
    title: 'Confirmed writes lost, in seconds, by fault and mode',
    alt: `Losses in ${losing} of ${squares.length} cells; the table above has them.`,
    note: 'Empty: not tried.',
    value: { name: 'lost', format: 'loss' },
    more: [
      { name: 'writes lost', format: 'count' },
      { name: 'trials with a loss', format: 'count' },
      { name: 'trials', format: 'count' },
    ],
    limits: LIMITS,
    names: ['none', 'below 0.1 s', '0.1 to 1 s', '1 to 10 s', '10 s and more', ALL],
    squares,
    order: modes,
  });
}
