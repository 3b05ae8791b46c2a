/** A cell with the figure of an article and ours: theirs → ours. */
import { count } from '../../src/format.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';

/** Such as `1,498 → 119`. @param {number | undefined} theirs @param {number | null} ours @param {number} [unit] in which the cell is */
export function theirsAndOurs(theirs, ours, unit = 1) {
  if (theirs === undefined) return NOT_MEASURED;
  return [theirs, ours].map((value) => (value === null ? NOT_MEASURED : shortNumber(value / unit))).join(' → ');
}

/** @param {number} value */
const shortNumber = (value) =>
  Number.isInteger(value) || value >= 100 ? count(Math.round(value)) : value.toFixed(value >= 10 ? 1 : 2);
