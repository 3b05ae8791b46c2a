/** What is said about a case from its rounds: a median and an interval that shows how far to trust it. */
import { cumulativeStdNormalProbability, gammaln, median as medianOf } from 'simple-statistics';
import { randomFrom } from './random.js';

/** @import { IntervalValue } from '../result/schema.js' */

const RESAMPLES = 2000;
/** Standard normal quantile of 97.5%: 95% lie within ± this. */
const Z = 1.959964;

/** @param {readonly number[]} values @returns {number} @throws {RangeError} there is no value, or one that is not finite */
export function median(values) {
  if (values.length === 0) throw new RangeError('The median of no values is not defined.');
  if (!values.every(Number.isFinite)) throw new RangeError('The median needs finite values.');
  return medianOf([...values]);
}

/** @param {readonly (number | null | undefined)[]} values @returns {number | null} the median of the known ones; null: none is known */
export function knownMedian(values) {
  const numbers = values.filter((value) => value != null);
  return numbers.length === 0 ? null : median(numbers);
}

/** @param {readonly number[] | Float64Array} values */
export function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** @template {Record<string, number>} Counts @param {...Counts} counts @returns {Counts} their sums */
export function addCounts(...counts) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const [kind, times] of counts.flatMap((each) => Object.entries(each))) sums[kind] = (sums[kind] ?? 0) + times;
  return /** @type {Counts} */ (sums);
}

/**
 * The median with its 95% bootstrap interval: the middle of the medians of many resamples. The textbook's 2.5% … 97.5% is too narrow for
 * few rounds, so the percentiles are moved outwards by what Student's t adds to the normal distribution ("expanded percentile interval").
 * docs/methods.md has its coverage. @param {readonly number[]} values one a round
 * @param {{seed?: number, resamples?: number}} [options] the same seed gives the same interval
 * @returns {IntervalValue} low ≤ median ≤ high; of one value all are equal, which says nothing
 * @throws {RangeError} there is no value, or one that is not finite
 */
export function bootstrapInterval(values, { seed = 1, resamples = RESAMPLES } = {}) {
  const middle = median(values);
  const n = values.length;
  if (n === 1) return { median: middle, low: middle, high: middle };

  const random = randomFrom(seed);
  const medians = new Float64Array(resamples);
  const drawn = new Float64Array(n);
  const upper = n >> 1;
  const lower = (n - 1) >> 1;
  for (let i = 0; i < resamples; i++) {
    for (let j = 0; j < n; j++) insert(drawn, j, values[Math.floor(random() * n)]);
    medians[i] = (drawn[lower] + drawn[upper]) / 2;
  }
  medians.sort();

  const cut = Math.floor(tail(n) * resamples);
  return {
    median: middle,
    low: Math.min(medians[cut], middle),
    high: Math.max(medians[resamples - 1 - cut], middle),
  };
}

/** Of a few values faster than sorting. @param {Float64Array} sorted its first `length` are @param {number} length @param {number} value */
function insert(sorted, length, value) {
  let place = length;
  while (place > 0 && sorted[place - 1] > value) {
    sorted[place] = sorted[place - 1];
    place--;
  }
  sorted[place] = value;
}

/**
 * @param {readonly number[]} values one a round @param {readonly number[]} baselineValues of the same rounds in the same order; all above 0
 * @param {{seed?: number, resamples?: number}} [options] as for {@link bootstrapInterval}
 * @returns {IntervalValue} of value / baseline value
 * @throws {RangeError} when the lengths differ, there is no round, or a baseline value is not above 0
 */
export function pairedRatio(values, baselineValues, options) {
  if (values.length !== baselineValues.length)
    throw new RangeError('A paired ratio needs as many rounds on both sides.');
  if (!baselineValues.every((value) => value > 0)) throw new RangeError('A ratio needs a baseline above 0.');
  return bootstrapInterval(
    values.map((value, round) => value / baselineValues[round]),
    options,
  );
}

/** Halvings of an interval of probabilities: more than a double can tell apart. */
const HALVINGS = 60;
const TAIL = 0.025;

/**
 * The exact 95% interval of a probability (Clopper–Pearson). @param {number} events whole, 0 … trials @param {number} trials whole, ≥ 1
 * @returns {{low: number, high: number}} 0 … 1 @throws {RangeError} other numbers
 */
export function proportionInterval(events, trials) {
  if (!Number.isInteger(events) || !Number.isInteger(trials) || trials < 1 || events < 0 || events > trials)
    throw new RangeError(`${events} of ${trials} is not a proportion.`);
  return {
    low: events === 0 ? 0 : turnOf((p) => 1 - atMost(events - 1, trials, p) > TAIL),
    high: events === trials ? 1 : turnOf((p) => atMost(events, trials, p) <= TAIL),
  };
}

/** @param {(probability: number) => boolean} isAbove grows from false to true @returns {number} where it changes, 0 … 1 */
function turnOf(isAbove) {
  let [low, high] = [0, 1];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (isAbove(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** The binomial distribution. @param {number} events 0 … trials - 1 @param {number} trials @param {number} probability above 0, below 1 */
function atMost(events, trials, probability) {
  let all = 0;
  for (let k = 0; k <= events; k++) {
    const ways = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1);
    all += Math.exp(ways + k * Math.log(probability) + (trials - k) * Math.log1p(-probability));
  }
  return Math.min(1, all);
}

/** @param {number} n rounds, at least 2 @returns {number} share of the resampled medians cut off at either end */
function tail(n) {
  const freedom = n - 1;
  // Student's t by two terms of the usual expansion: exact to 1% from n = 6. Below, the interval is the range of the values anyway.
  const t = Z + (Z ** 3 + Z) / (4 * freedom) + (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * freedom ** 2);
  return 1 - cumulativeStdNormalProbability(Math.sqrt(n / freedom) * t);
}
