/**
 * How many rounds each case gets: those of the pilot, and headline cases as many more as the spread of their paired ratios asks for.
 * Decisions use the width of an interval and the spread of ratios, never the ratio itself, and are made after a planned number of rounds.
 * A case that has left does not come back, so the n-th rounds of a case and its baseline always belong together.
 * @import { CaseResult, IntervalValue } from '../result/schema.js'
 * @import { Case, Precision } from './types.js'
 */
import { interquartileRange } from 'simple-statistics';

/** The 95% interval of a median of n normal values is ± this times their standard deviation / √n: 1.96 × √(π/2). */
const OF_MEDIAN = 2.4565;
/** The interquartile range of normal values is this many standard deviations. */
const QUARTILES = 1.349;
/** The plan aims at a narrower interval than asked for, because the spread is an estimate. */
const AIM = 0.75;
/** The rounds of a case that is still undecided grow at least by this factor. */
const LEAST_GROWTH = 1.5;
/** They grow at most by this factor: the spread of a small pilot may be far off. */
const MOST_GROWTH = 3;

/** @param {readonly number[]} ratios one a round, at least two @param {number} halfWidth of the wanted 95% interval of their median */
function roundsNeeded(ratios, halfWidth) {
  const deviation = interquartileRange([...ratios]) / QUARTILES;
  return Math.ceil(((OF_MEDIAN * deviation) / (AIM * halfWidth)) ** 2);
}

/** @param {IntervalValue} ratio @param {number} halfWidth @returns {boolean} the interval is at most twice as wide as that */
export function isNarrow({ low, high }, halfWidth) {
  // Bounds such as 0.42 and 0.62 differ by a hair more than 0.2.
  return high - low <= 2 * halfWidth + 1e-9;
}

/**
 * @param {readonly Case[]} cases @param {number} pilot rounds of every case, ≥ 1 @param {Precision} [precision] absent: no case gets more
 */
export function createAllocation(cases, pilot, precision) {
  const headlines = precision ? cases.filter((each) => each.baseline !== undefined && precision.headline(each)) : [];
  const planned = new Map(headlines.map(({ id }) => [id, pilot]));
  /** @type {Map<string, NonNullable<CaseResult['stop']>>} */
  const stops = new Map();

  /** @param {string} id of a case, which may be a baseline */
  const roundsOf = (id) =>
    Math.max(
      pilot,
      ...headlines.map((each) => (each.id === id || each.baseline === id ? (planned.get(each.id) ?? pilot) : pilot)),
    );

  return {
    /** @returns {number} rounds of all cases that are planned so far */
    total: () => cases.reduce((sum, { id }) => sum + roundsOf(id), 0),

    /** @param {Pick<Case, 'id'>} theCase @param {number} round counted from 1 */
    takesPart: ({ id }, round) => round <= roundsOf(id),

    /**
     * Called after each round. Where it was the last planned round of a case, the case ends or gets more. @param {number} round
     * @param {(theCase: Case) => {ratios: number[], interval: IntervalValue} | null} paired ratios to the baseline so far, one a round;
     *   null: a baseline had no acknowledged write
     */
    look(round, paired) {
      if (!precision) return;
      const { halfWidth, least, most } = precision;
      for (const each of headlines) {
        if (stops.has(each.id) || planned.get(each.id) !== round) continue;
        const found = paired(each);
        if (found && round >= least && isNarrow(found.interval, halfWidth)) stops.set(each.id, 'decided');
        else if (found === null || round >= most) stops.set(each.id, 'most');
        else {
          const needed = round < 2 ? least : roundsNeeded(found.ratios, halfWidth);
          const next = Math.min(Math.max(needed, round * LEAST_GROWTH), round * MOST_GROWTH);
          planned.set(each.id, Math.min(most, Math.max(least, Math.ceil(next))));
        }
      }
    },

    /** @param {string} id @returns {CaseResult['stop']} why a headline case got no more rounds; undefined: not a headline case */
    stopOf: (id) => (planned.has(id) ? (stops.get(id) ?? 'time') : undefined),
  };
}
