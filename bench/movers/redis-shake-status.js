/** What RedisShake says about itself: the figures of its status port. It renews its rates about once a second. */
import { repeatedly } from '../../src/repeat.js';
import { median, sum } from '../../src/stats/statistics.js';

/** @import { MoveTotals } from './move.js' */

const POLL_MS = 500;
const ANSWER_MS = 2000;

/** @typedef {{write_count: number, write_ops: number}} EntryCounts */

/**
 * @param {number} port of the status page on this machine
 * @returns {{figures: () => NonNullable<MoveTotals['reported']>, close: () => Promise<void>}} asks until it is closed. A page that does not answer yields no
 *   figures, and no error
 */
export function watchStatus(port) {
  let written = 0;
  /** @type {number[]} */
  const rates = [];
  async function look() {
    const counts = await countsOf(port);
    if (!counts) return;
    written = counts.write_count;
    // The page repeats a rate until it has a new one, and rounds a pause to 0.
    if (counts.write_ops > 0 && counts.write_ops !== rates.at(-1)) rates.push(counts.write_ops);
  }
  return { figures: () => ({ written, rates: [[...rates]] }), close: repeatedly(look, POLL_MS) };
}

/** @param {number} port @returns {Promise<EntryCounts | null>} null: no answer, as before its start and after its end */
async function countsOf(port) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { total_entries_count: counts } = /** @type {{total_entries_count: EntryCounts}} */ (await answer.json());
    return Number.isFinite(counts.write_count) && Number.isFinite(counts.write_ops) ? counts : null;
  } catch {
    return null;
  }
}

/**
 * @param {MoveTotals['reported']} figures
 * @returns {{written: number, rate: number | null} | undefined} rate: writes a second of all movers together, the median of each; null:
 *   one of them reported none, as in a copy of less than two seconds
 */
export function reportOf(figures) {
  if (figures === null) return undefined;
  const rates = figures.rates.map((pairRates) => (pairRates.length === 0 ? null : median(pairRates)));
  return {
    written: figures.written,
    rate: rates.includes(null) ? null : sum(rates.map(Number)),
  };
}
