/**
 * The program of s/aa-check.sh: compares cases with themselves on a local stack, as `sentinel-bench compare` compares two runs, and prints how many were
 * called different. Each difference found is an error of the comparison. So this measures its error rate, on real rounds with real noise.
 *
 * The rule: at most 5% of comparisons of a case with itself come out different. The pairs measured here are a sample, so it is failed only when more came
 * out different than a comparison that errs in exactly 5% would show in all but 1% of such checks, or when fewer than 40 pairs could be compared at all.
 */
import { randomInt } from 'node:crypto';
import chalk from 'chalk';
import { binomialDistribution } from 'simple-statistics';
import { print, tell } from '../src/cli/output.js';
import { ExitStatus, UserError } from '../src/errors.js';
import { compareCases } from '../src/report/compare/compare.js';
import { makeCase } from '../src/run/case.js';
import { abortable } from '../src/run/interruption.js';
import { PROFILES } from '../src/run/profiles.js';
import { createProgress } from '../src/run/progress.js';
import { runSuite } from '../src/run/suite.js';

/**
 * @import { CaseResult } from '../src/result/schema.js'
 * @import { Benchmark, Case, Profile } from '../src/run/types.js'
 *
 * @typedef {Object} AaFigure the error rate of one way to compare
 * @property {string} metric
 * @property {number} threshold 0 … 1
 * @property {number} compared pairs that could be compared
 * @property {number} different pairs that were called better or worse
 * @property {number} allowed the limit for `different`
 * @property {boolean} ok
 */

/** 5% of them are six pairs. They take about four minutes. */
const PAIRS = 120;
/** The share of comparisons with itself that may be called different. */
const MOST_DIFFERENT = 0.05;
/** The probability that a comparison with the allowed error rate fails this check by chance. */
const FALSE_ALARM = 0.01;
/** With fewer comparisons an error rate that is too high could be bad luck. */
const FEWEST_PAIRS = 40;
/** Bound by round trips, by replicas, by the CPU, and with many connections. */
const SHAPES = [{}, { wait: 1 }, { pipeline: 100 }, { wait: 2, connections: 10 }];
/** As few rounds as the quick profile, because intervals err most with few rounds. @type {Profile} */
const PROFILE = { ...PROFILES.quick, seconds: 0.1, warmUpSeconds: 0.02 };

/** Its cases come in pairs that differ only in the end of their id. @type {Benchmark} */
const BENCHMARK = {
  name: 'aa',
  question: 'How often does the comparison call a case different from itself?',
  method: 'Identical cases, in rounds interleaved at random, are compared as two runs would be.',
  kind: 'load',
  cases: () => Array.from({ length: PAIRS }, (_, pair) => pairOfCases(pair)).flat(),
  findings: () => [],
  checks: () => [],
};

/** @param {number} pair @returns {Case[]} */
function pairOfCases(pair) {
  const { id, params } = makeCase(SHAPES[pair % SHAPES.length]);
  return ['a', 'b'].map((side) => ({ id: `${id}-pair${pair}-${side}`, params }));
}

/** @returns {Promise<CaseResult[]>} */
async function measurePairs() {
  const { result, stopped } = await abortable(
    (signal) =>
      runSuite({
        suite: 'aa-check',
        benchmarks: [BENCHMARK],
        profile: PROFILE,
        seed: randomInt(2 ** 32),
        command: 'aa-check',
        stack: { backend: 'local' },
        progress: createProgress(),
        signal,
      }),
    tell,
  );
  if (stopped) throw stopped;
  const [{ status, reason, cases }] = result.benchmarks;
  if (status !== 'ok') throw new UserError(`The pairs could not be measured: ${reason}`, 'Run it again.');
  return cases;
}

/** @param {readonly CaseResult[]} cases of the pairs @returns {AaFigure[]} one a metric and threshold */
function judgePairs(cases) {
  const pairs = Array.from({ length: cases.length / 2 }, (_, pair) => [cases[2 * pair], cases[2 * pair + 1]]);
  return ['throughput', 'p50', 'p99'].flatMap((metric) =>
    [0, 0.05].map((threshold) => {
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
 * @returns {number} the smallest number that is exceeded in less than 1% of checks if each pair is called different with
 *   a probability of 5%
 */
function mostByChance(pairs) {
  if (pairs === 0) return 0;
  // The library leaves out the upper end, whose probability is almost 0.
  const probabilities = binomialDistribution(pairs, MOST_DIFFERENT) ?? [];
  let upTo = 0;
  const found = probabilities.findIndex((probability) => {
    upTo += probability;
    return 1 - upTo < FALSE_ALARM;
  });
  return found === -1 ? pairs : found;
}

try {
  const figures = judgePairs(await measurePairs());
  print(`${PAIRS} cases compared with themselves, ${PROFILE.rounds} rounds of ${PROFILE.seconds} s a side`);
  console.table(figures);
  process.exitCode = figures.every(({ ok }) => ok) ? ExitStatus.ok : ExitStatus.checkFailed;
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  tell(`${chalk.red('error:')} ${error.message}\n${error.remedy}`);
  process.exitCode = error.exitStatus;
}
