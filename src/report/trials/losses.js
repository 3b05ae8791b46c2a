/** How likely a loss is, after so many trials. */
import { percent, range } from '../../format.js';
import { proportionInterval } from '../../stats/statistics.js';

const CONFIDENCE = 0.95;

/** @param {number} trials > 0, all without the event @returns {number} upper bound of its probability, 0 … 1, exact (Clopper–Pearson, one-sided) */
export const riskBound = (trials) => 1 - (1 - CONFIDENCE) ** (1 / trials);

/** @param {{losing: number, trials: number}} loss @returns {string} trials with a loss, and how likely one is: `28/30 (78–99%)`, `0/30 (≤9.5%)` */
export function riskText({ losing, trials }) {
  const { low, high } = proportionInterval(losing, trials);
  const risk = losing === 0 ? `≤${shareText(riskBound(trials))}` : range(low, high, shareText);
  return `${losing}/${trials} (${risk})`;
}

/** @param {number} share of an interval: one decimal is enough near 100% */
function shareText(share) {
  return share > 0.99 && share < 1 ? `${Math.min(99.9, 100 * share).toFixed(1)}%` : percent(share);
}
