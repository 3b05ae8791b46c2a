/**
 * The A/A check: cases compared with themselves. Whatever is called different is a mistake of the comparison, so this
 * measures how often it errs, on real rounds with the noise that real rounds have.
 */
import { binomialDistribution } from 'simple-statistics';
import { compareCases } from '../report/compare/compare.js';
import { makeCase } from './case.js';
import { PROFILES } from './profiles.js';

/**
 * @import { CaseResult } from '../result/schema.js'
 * @import { Benchmark, Case, Profile } from './types.js'
 */

/** So many comparisons with itself may be called different. */
export const MOST_DIFFERENT = 0.05;
/** A comparison that errs as often as it may is failed by chance less often than this. */
const FALSE_ALARM = 0.01;
/** Fewer comparisons could not tell a comparison that errs too often from bad luck. */
const FEWEST_PAIRS = 40;

const METRICS = ['throughput', 'p50', 'p99'];
const THRESHOLDS = [0, 0.05];

/** One that waits for round trips, one that waits for replicas, one that is busy, one with many connections. */
const SHAPES = Object.freeze([{}, { wait: 1 }, { pipeline: 100 }, { wait: 2, connections: 10 }]);

/**
 * As many rounds as the quick profile has, because intervals err most where rounds are few.
 *
 * @type {Profile}
 */
export const AA_PROFILE = Object.freeze({ ...PROFILES.quick, seconds: 0.1, warmUpSeconds: 0.02 });

/**
 * @param {number} pairs shared out over four shapes of load
 * @returns {Benchmark} whose cases come in pairs that differ in nothing but the end of their id: each
 *   case is measured in its own rounds, interleaved at random with those of all others
 */
export function aaBenchmark(pairs) {
  return {
    name: 'aa',
    question: 'How often does the comparison call a case different from itself?',
    method: 'Identical cases, in rounds interleaved at random, are compared as two runs would be.',
    needs: [],
    kind: 'load',
    cases: () => Array.from({ length: pairs }, (_, pair) => pairOfCases(pair)).flat(),
    table: [],
    findings: () => [],
    checks: () => [],
  };
}

/**
 * @param {number} pair
 * @returns {Case[]}
 */
function pairOfCases(pair) {
  const { id, params } = makeCase(SHAPES[pair % SHAPES.length]);
  return ['a', 'b'].map((side) => ({ id: `${id}-pair${pair}-${side}`, params }));
}

/**
 * @typedef {Object} AaFigure how often one way to compare erred
 * @property {string} metric
 * @property {number} threshold 0 … 1
 * @property {number} compared pairs that could be compared
 * @property {number} different of those, how many were called better or worse
 * @property {number} allowed how many may be, see {@link mostByChance}
 * @property {boolean} ok
 */

/**
 * The comparisons are those of `sentinel-bench compare`.
 *
 * The rule: a comparison is good when at most 5% of comparisons of a case with itself come out different. The pairs
 * measured here are a sample, so it is failed only when more came out different than a comparison that errs in exactly 5%
 * would show in all but 1% of such checks, or when fewer than 40 pairs could be compared at all.
 *
 * @param {readonly CaseResult[]} cases of {@link aaBenchmark}, in its order
 * @returns {AaFigure[]} one for each metric and threshold
 */
export function judgePairs(cases) {
  const pairs = Array.from({ length: cases.length / 2 }, (_, pair) => [cases[2 * pair], cases[2 * pair + 1]]);
  return METRICS.flatMap((metric) =>
    THRESHOLDS.map((threshold) => {
      const verdicts = pairs
        .map(([a, b]) => compareCases(a, b, { metric, threshold }).verdict)
        .filter((verdict) => verdict !== 'unknown');
      const compared = verdicts.length;
      const different = verdicts.filter((verdict) => verdict !== 'no difference').length;
      const allowed = mostByChance(compared);
      return { metric, threshold, compared, different, allowed, ok: compared >= FEWEST_PAIRS && different <= allowed };
    }),
  );
}

/**
 * @param {number} pairs
 * @returns {number} the smallest number that is exceeded in less than 1% of checks when each pair comes out different with
 *   a probability of 5%
 */
export function mostByChance(pairs) {
  if (pairs === 0) return 0;
  // It leaves out the upper end, whose probability is next to nothing.
  const probabilities = binomialDistribution(pairs, MOST_DIFFERENT) ?? [];
  let upTo = 0;
  const found = probabilities.findIndex((probability) => {
    upTo += probability;
    return 1 - upTo < FALSE_ALARM;
  });
  return found === -1 ? pairs : found;
}
