/** What a mode costs, as pages show it: with its interval, or as a limit where there may be no cost. @import { Fact } from '../facts/fact.js' */
import { interval, percent } from '../format.js';
import { NOT_MEASURED } from './trials/figures.js';

/** @typedef {Pick<Fact, 'median' | 'low' | 'high'>} CostFigure */

/** @param {number} value @returns {string} such as `0.067 ms`, `1.37 ms`, `12.5 ms` */
export function ms(value) {
  const size = Math.abs(value);
  const digits = size < 0.1 ? 3 : size < 10 ? 2 : 1;
  return `${value.toFixed(digits).replace('-', '−')} ms`;
}

/** @param {CostFigure | undefined} added @returns {string} such as `0.067 ms (0.017–0.122)`, or `under 0.10 ms` where there may be nothing */
export const addedText = (added) => costText(added, ms);

/** @param {CostFigure | undefined} cost @param {(value: number) => string} [format] @returns {string} such as `34% (28–39)`, `under 12%`, `nothing` */
export function costText(cost, format = percent) {
  if (cost === undefined) return NOT_MEASURED;
  const { median, low, high } = cost;
  if (low === null || high === null) return format(median);
  if (high <= 0) return 'nothing';
  return low <= 0 ? `under ${format(high)}` : interval({ median, low, high }, format);
}
