/** How pages show what trials of a failure lost. @import { Loss } from '../../audit/losses.js' */
import { ALL, count, percent, range } from '../../format.js';
import { proportionInterval } from '../../stats/statistics.js';
import { milliseconds } from './figures.js';

/** Explains {@link ALL} below a table. */
export const ALL_NOTE = `${ALL}: everything that was acknowledged before the fault`;

/** @param {Pick<Loss, 'most' | 'everything'>} loss @returns {string} acknowledged writes lost in the worst trial, such as `17,952` or `ALL 1,501` */
export function mostText({ most, everything }) {
  return `${everything ? `${ALL} ` : ''}${count(most)}`;
}

/** @param {Pick<Loss, 'seconds' | 'everything'>} loss @returns {string} in the worst trial, such as `18.0 s`; `ALL`; `–`: unknown */
export function lostSeconds({ seconds, everything }) {
  return everything ? ALL : milliseconds(seconds === null ? null : seconds * 1000);
}

const CONFIDENCE = 0.95;

/** @param {number} trials > 0, all without the event @returns {number} upper bound of its probability, 0 … 1, exact (Clopper–Pearson, one-sided) */
export function riskBound(trials) {
  return 1 - (1 - CONFIDENCE) ** (1 / trials);
}

/** @param {Pick<Loss, 'losing' | 'trials'>} loss @returns {string} trials with a loss, and how likely one is: `28/30 (78–99%)`, `0/30 (≤9.5%)` */
export function riskText({ losing, trials }) {
  const { low, high } = proportionInterval(losing, trials);
  const risk = losing === 0 ? `≤${shareText(riskBound(trials))}` : range(low, high, shareText);
  return `${losing}/${trials} (${risk})`;
}

/** @param {number} share of an interval: one decimal is enough near 100% */
function shareText(share) {
  return share > 0.99 && share < 1 ? `${Math.min(99.9, 100 * share).toFixed(1)}%` : percent(share);
}
