/**
 * What articles claim, and what was measured: the types, the rule of the verdicts, and the table of a benchmark. The claims are data in
 * `bench/claims/`; each suite examines those that its benchmarks can check.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue, Result, RoundResult } from '../result/schema.js'
 * @import { Block } from './blocks.js'
 *
 * @typedef {Object} Conditions under which the article found its figure, in a few words each; absent: it does not say, or it does not matter
 * @property {string} [tool] that made the load or did the work
 * @property {string} [payload]
 * @property {string} [connections]
 * @property {string} [fault]
 * @property {string} [storage] nodes and disks
 * @property {string} [version] of the server
 *
 * @typedef {Object} ArticleClaim
 * @property {string} claim in our words
 * @property {string} figure theirs; empty: they give none
 * @property {Conditions} conditions
 * @property {string} [unexamined] what would be needed to examine it; absent: a suite examines it
 *
 * @typedef {Object} Examination what a suite adds to a claim
 * @property {string} benchmark whose cases check it
 * @property {string} differs how our conditions always differ from theirs; empty: they do not
 * @property {Examine} examine
 * @property {string} [with] what the command needs, such as `Node.js 22.15 or later`
 * @property {true} [needsNodes] it reads what each node used, so samples keep that
 * @property {true} [standIn] it measures another database than theirs, so it counts only where nothing closer was measured
 *
 * @typedef {Partial<Pick<Result, 'storage' | 'stack' | 'benchmarks'>>} Run
 *
 * @typedef {(benchmark: BenchmarkResult, run: Run) => Examined | null} Examine null: this run has no cases for it
 *
 * @typedef {Object} ClaimTexts
 * @property {string} id such as `synchronous.wait1-cost`
 * @property {string} article its title
 * @property {string} claim in our words
 * @property {string} theirs their figure and their conditions
 *
 * @typedef {ClaimTexts & Examination} Claim
 *
 * @typedef {Object} Examined
 * @property {string} ours our figure with its interval
 * @property {boolean | null} holds null: our figures do not decide it
 * @property {number} rounds behind our figure; of failures: trials
 * @property {true} [missing] the run has the cases and left out what the claim needs; `ours` says what measures it
 * @property {true} [trials] `rounds` counts trials of a failure
 * @property {true} [observed] one trial that shows it is enough, so trials bound no risk
 * @property {string} [allowed] which figures count as theirs, such as `44% to 64%`; absent: each trial holds or does not
 * @property {string[]} evidence ids of cases
 * @property {string} [differs] how the conditions of this run differ from theirs
 *
 * @typedef {'reproduced' | 'contradicted' | 'undecided' | 'not measured' | 'not examined'} Verdict not measured: a suite examines the
 *   claim, but the run lacks its cases; not examined: no suite can
 */
import { bootstrapInterval } from '../stats/statistics.js';
import { heading, table, text } from './blocks.js';
import { idsOf } from './findings.js';
import { percent, plural } from './format.js';

/** Shares and costs count as the same within this many points (0.1 is 10). */
const POINTS = 0.1;
/** Factors count as the same if they differ by this factor at most. */
const FACTOR = 1.5;
/**
 * What a verdict needs. The range of five rounds holds their median in 94% of all cases, that of three in 75%. Three trials without an
 * exception leave a risk of up to 63%, so it is printed beside the verdict. Exceptions contradict a claim once there are two trials.
 */
export const ENOUGH = Object.freeze({ rounds: 5, trials: 3, trialsAgainst: 2 });

/** @typedef {{least?: number, most?: number}} Range an absent end has no limit */

/**
 * @param {number} share theirs, 1 is everything
 * @returns {Required<Range>} shares that count as the same
 */
export const nearShare = (share) => ({ least: share - POINTS, most: share + POINTS });

/**
 * @param {number} factor theirs, above 0
 * @returns {Required<Range>} factors that count as the same
 */
export const nearFactor = (factor) => ({ least: factor / FACTOR, most: factor * FACTOR });

/**
 * @param {Range} range with at least one end
 * @param {(value: number) => string} format
 * @returns {string} such as `44% to 64%` or `at least 90%`
 */
export function rangeText({ least, most }, format) {
  if (least !== undefined && most !== undefined) return `${format(least)} to ${format(most)}`;
  return least === undefined ? `at most ${format(Number(most))}` : `at least ${format(least)}`;
}

/**
 * @param {Pick<Examined, 'rounds' | 'trials'>} examined
 * @returns {boolean} there are enough rounds or trials to reproduce a claim
 */
export function isEnough({ rounds, trials }) {
  return rounds >= (trials ? ENOUGH.trials : ENOUGH.rounds);
}

/**
 * @param {Examined | null} examined
 * @returns {Verdict} `undecided` after too few rounds or trials, whatever they show; see {@link ENOUGH}
 */
export function verdictOf(examined) {
  if (examined === null || examined.missing) return 'not measured';
  if (examined.holds === null) return 'undecided';
  if (examined.holds) return isEnough(examined) ? 'reproduced' : 'undecided';
  const decides = examined.trials ? examined.rounds >= ENOUGH.trialsAgainst : isEnough(examined);
  return decides ? 'contradicted' : 'undecided';
}

/**
 * @param {Examined} examined
 * @returns {string} what stands beside the verdict: `11 rounds, allowed 44% to 64%` or `3 trials bound the risk of an exception at 63%`
 */
export function boundText(examined) {
  const { rounds, trials, allowed } = examined;
  const number = plural(rounds, trials ? 'trial' : 'round');
  const bound =
    trials && verdictOf(examined) === 'reproduced' && !examined.observed
      ? `${number} bound the risk of an exception at ${percent(proportionBound(rounds))}`
      : number;
  return allowed ? `${bound}, allowed ${allowed}` : bound;
}

/** @param {number} trials without an exception @returns {number} the highest risk, with 95% confidence */
const proportionBound = (trials) => 1 - 0.05 ** (1 / trials);

/**
 * @param {Pick<IntervalValue, 'low' | 'high'>} measured
 * @param {Range} claimed
 * @returns {boolean | null} null: only a part of the interval lies in the claimed range
 */
export function within({ low, high }, { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }) {
  if (low >= least && high <= most) return true;
  return high < least || low > most ? false : null;
}

/**
 * @param {IntervalValue | null} value ours; null: not measured
 * @param {Range} claimed
 * @param {{text: (value: IntervalValue) => string, unit: (value: number) => string, cases: readonly CaseResult[], differs?: string,
 *   limits?: Range}} what unit: of the claimed range; cases: behind the value, at least one; limits: the claimed range as readers see
 *   it, default: as it is
 * @returns {Examined | null} null: not measured
 */
export function judge(value, claimed, { text, unit, cases, differs, limits = claimed }) {
  if (value === null) return null;
  return {
    ours: text(value),
    holds: within(value, claimed),
    rounds: Math.min(...cases.map(({ rounds }) => rounds.length)),
    allowed: rangeText(limits, unit),
    evidence: idsOf(cases),
    ...(differs && { differs }),
  };
}

/**
 * @param {boolean | null} holds
 * @returns {boolean | null} a figure that tells more about the machine than about the claim reproduces it or decides nothing
 */
export function trueOrOpen(holds) {
  return holds === true ? true : null;
}

/**
 * @param {Examined | null} found
 * @param {readonly CaseResult[]} cases behind it
 * @returns {Examined | null} undecided where a machine that was too small for both sides explains the difference
 */
export function openIfMachineLimits(found, cases) {
  if (!found || cases.every(({ summary }) => summary.limitedBy !== 'machine')) return found;
  return openBecause(found, 'limited by the machine, which decides nothing');
}

/**
 * @param {Examined | null} found
 * @param {string} why
 * @returns {Examined | null} undecided, and says why
 */
export function openBecause(found, why) {
  return found && { ...found, holds: null, differs: [found.differs, why].filter(Boolean).join('; ') };
}

/**
 * Two cases of one benchmark whose rounds took turns.
 *
 * @param {CaseResult | undefined} one
 * @param {CaseResult | undefined} base
 * @param {(round: RoundResult) => number} of
 * @returns {IntervalValue | null} ratio of one to base, paired by round; null: a case is missing, has no round, or a base is 0
 */
export function pairedRatioOf(one, base, of) {
  const [values, bases] = [one, base].map((each) => each?.rounds.map(of) ?? []);
  const pairs = Math.min(values.length, bases.length);
  if (pairs === 0 || bases.slice(0, pairs).some((value) => value <= 0)) return null;
  return bootstrapInterval(values.slice(0, pairs).map((value, round) => value / bases[round]));
}

/**
 * Two figures that were not measured side by side, so the interval spans all combinations of both intervals.
 *
 * @param {IntervalValue | null | undefined} one ≥ 0
 * @param {IntervalValue | null | undefined} base
 * @returns {IntervalValue | null} ratio of one to base; null: a figure is missing, or the base may be 0
 */
export function spanRatio(one, base) {
  if (!one || !base || base.low <= 0) return null;
  return { median: one.median / base.median, low: one.low / base.high, high: one.high / base.low };
}

/**
 * @param {ArticleClaim} claim
 * @returns {string} such as `35,170 to 16,265 ops/s; node-redis, 1 connection`
 */
export function theirsText({ figure, conditions: { tool, payload, connections, fault, storage, version } }) {
  const conditions = [tool, payload, connections, fault, storage, version].filter((part) => part !== undefined);
  return [figure, conditions.join(', ')].filter((part) => part !== '').join('; ');
}

/**
 * @param {Pick<Claim, 'differs'>} claim
 * @param {Examined | null} examined
 * @returns {string} empty: the conditions are the same
 */
export function differsText({ differs }, examined) {
  return [examined?.differs ?? '', differs].filter((part) => part !== '').join('; ');
}

/**
 * @param {Examined | null} examined
 * @returns {string} such as `reproduced (11 rounds, allowed 44% to 64%)`
 */
function verdictText(examined) {
  const verdict = verdictOf(examined);
  return examined === null || examined.missing ? verdict : `${verdict} (${boundText(examined)})`;
}

/**
 * @param {readonly Claim[]} claims of a suite
 * @param {BenchmarkResult} benchmark
 * @param {Run} run
 * @returns {Block[]} a heading and a table of the claims that this benchmark checks; empty without claims
 */
export function claimBlocks(claims, benchmark, run) {
  const benchmarkClaims = claims
    .filter((claim) => claim.benchmark === benchmark.name)
    .map((claim) => ({ claim, examined: claim.examine(benchmark, run) }));
  if (benchmarkClaims.length === 0) return [];
  // A claim may be examined in several ways. The first that was measured has the conditions closest to theirs.
  const ids = [...new Set(benchmarkClaims.map(({ claim }) => claim.id))];
  const shown = ids.map((id) => {
    const ways = benchmarkClaims.filter(({ claim }) => claim.id === id);
    return ways.find(({ examined }) => examined !== null) ?? ways[0];
  });
  const articles = [...new Set(shown.map(({ claim }) => claim.article))];
  const rows = shown.map(({ claim, examined }) => {
    return [
      articles.length === 1 ? claim.claim : `${claim.claim} (“${claim.article}”)`,
      claim.theirs,
      examined?.ours ?? '',
      verdictText(examined),
      differsText(claim, examined),
    ];
  });
  return [
    heading(3, 'What the articles say'),
    ...(articles.length === 1 ? [text(`“${articles[0]}”`)] : []),
    table(['claim', 'their figure and conditions', 'ours', 'verdict', 'what differs here'], rows),
  ];
}
