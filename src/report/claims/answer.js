/**
 * The scale of answers: what a figure of ours says about a figure of theirs. Conditions do not decide an answer.
 * @import { IntervalValue } from '../../result/schema.js'
 * @typedef {(typeof ANSWERS)[number]} ClaimAnswer
 * @typedef {{least?: number, most?: number}} Band an absent end has no limit
 * @typedef {{number?: number, none?: number, band?: Band, unit?: string}} Expected number: theirs; none: the figure without any effect;
 *   band: figures that count as theirs; default: see {@link bandOf}
 */

/** The best first. Parts of a claim that must all hold have the last of their answers, as far as one was found. */
export const ANSWERS = /** @type {const} */ ([
  'same',
  'about the same',
  'same direction, larger',
  'same direction, smaller',
  'only if',
  'too noisy',
  'not seen here',
  'differs here',
  'cannot be compared',
  'not measured',
]);
/** @type {readonly ClaimAnswer[]} */
const GOOD = ['same', 'about the same'];

/** @param {ClaimAnswer} answer */
export const isGood = (answer) => GOOD.includes(answer);

/** @type {readonly ClaimAnswer[]} */
const BAD = ['same direction, larger', 'same direction, smaller', 'not seen here', 'differs here'];

/** Shares count as the same within this many points (0.1 is 10) … */
const POINTS = 0.1;
/** … and other figures within this factor. */
const FACTOR = 1.5;
/** The range of five rounds holds their median in 94% of all cases, that of three in 75%. A statement about trials needs three. */
export const ENOUGH = Object.freeze({ rounds: 5, trials: 3 });
/** An interval that comes this close to no effect, as a share of theirs, shows no opposite effect. */
const NEAR_NONE = 0.05;
/** One trial may be a matter of luck. */
const TRIALS_AGAINST = 2;

/** @param {Expected} expected @returns {Band} */
export function bandOf({ number, band, unit }) {
  if (band) return band;
  if (number === undefined) return {};
  return unit === 'share'
    ? { least: number - POINTS, most: number + POINTS }
    : { least: number / FACTOR, most: number * FACTOR };
}

/** @param {number} value @param {Band} band */
export const isWithin = (value, { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }) =>
  value >= least && value <= most;

/**
 * @param {IntervalValue} ours @param {Expected} expected
 * @returns {ClaimAnswer} without `none`, or with `none` inside the band: theirs is a limit, which ours keeps or misses
 */
export function answerOf({ median, low, high }, expected) {
  const band = bandOf(expected);
  const { number, none } = expected;
  if ([low, high].every((end) => isWithin(end, band))) return 'same';
  const isInside = isWithin(median, band);
  if (number === undefined || none === undefined || isWithin(none, band)) {
    if (isInside) return 'about the same';
    const isOutside = high < (band.least ?? Number.NEGATIVE_INFINITY) || low > (band.most ?? Number.POSITIVE_INFINITY);
    return isOutside ? 'differs here' : 'too noisy';
  }
  const holdsNone = low <= none && none <= high;
  if (isInside) return holdsNone ? 'too noisy' : 'about the same';
  if (holdsNone) return low <= number && number <= high ? 'too noisy' : 'not seen here';
  if (Math.sign(median - none) !== Math.sign(number - none)) {
    const nearest = median > none ? low : high;
    return Math.abs(nearest - none) > NEAR_NONE * Math.abs(number - none) ? 'differs here' : 'not seen here';
  }
  return Math.abs(median - none) > Math.abs(number - none) ? 'same direction, larger' : 'same direction, smaller';
}

/**
 * @param {{failing: number, n: number, fewest?: number, each: 'all' | 'some'}} trials failing: those outside of the band; fewest: of a case,
 *   default: n; each: all must be inside, or some
 * @returns {ClaimAnswer} one counterexample refutes a general statement
 */
export function answerOfTrials({ failing, n, fewest = n, each }) {
  if (each === 'some' && failing < n) return 'same';
  if (each === 'some') return fewest < ENOUGH.trials ? 'too noisy' : 'not seen here';
  if (failing > 0) return 'differs here';
  return fewest < ENOUGH.trials ? 'too noisy' : 'same';
}

/** @param {readonly ClaimAnswer[]} answers of parts that must all hold; at least one @returns {ClaimAnswer} */
export function answerOfAll(answers) {
  return answers.toSorted((a, b) => ANSWERS.indexOf(b) - ANSWERS.indexOf(a))[0];
}

/** @param {{low?: number, high?: number}} a @param {{low?: number, high?: number}} b @returns {boolean} without intervals: they are */
const areApart = (a, b) => !(Number(a.low) <= Number(b.high) && Number(b.low) <= Number(a.high));

/**
 * The article names no way: what one of several shows is not the whole answer.
 * @template {{answer: ClaimAnswer, failing?: number, low?: number, high?: number}} Way
 * @param {readonly Way[]} ways that were measured, the closest first; failing: trials against the claim, absent: it was measured in rounds; low,
 *   high: of the interval of rounds. Ways with intervals that overlap do not differ
 * @returns {{answer: ClaimAnswer, holding: Way[], against: Way[]}} holding, against: of `only if`
 */
export function answerOfWays(ways) {
  const holding = ways.filter(({ answer }) => isGood(answer));
  const against = ways.filter(
    ({ answer, failing = TRIALS_AGAINST }) => BAD.includes(answer) && failing >= TRIALS_AGAINST,
  );
  const isDivided =
    holding.length > 0 &&
    against.some((bad) => holding.every((good) => bad.failing !== undefined || areApart(bad, good)));
  if (isDivided) return { answer: 'only if', holding, against };
  const isHeld = holding.length === ways.length;
  const isLuck =
    holding.length > 0 && ways.some(({ answer, failing }) => failing !== undefined && BAD.includes(answer));
  const answer = isHeld ? answerOfAll(ways.map((way) => way.answer)) : isLuck ? 'too noisy' : ways[0].answer;
  return { answer, holding: [], against: [] };
}
