/**
 * Findings: one sentence for each question, computed from a benchmark's numbers, with the figure, its interval and n.
 *
 * @import { BenchmarkResult, CaseResult, Finding, IntervalValue, Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 */

import { count, interval, percent } from '../format.js';
import { clientTitle } from '../registry/clients.js';
import { costOf, outcomesOf } from './columns.js';

export { FINDING_CHARACTERS, oneFinding } from '../format.js';

/** Fewer rounds cannot give a 95% interval of the median. Reports then show the range of the rounds. */
export const ROUNDS_FOR_INTERVAL = 5;
/** A headline needs an interval of at most ± 10 points. */
const WIDEST_DECIDED = 0.2;
/** Bounds such as 0.42 and 0.62 differ by a hair more than 0.2. */
const ROUNDING = 1e-9;

/**
 * @param {IntervalValue} share with its interval, 1 is everything
 * @returns {boolean} the interval is at most ± 10 points wide
 */
export function isDecided({ low, high }) {
  return high - low <= WIDEST_DECIDED + ROUNDING;
}

/**
 * A share in an answer, a deciding table or a finding. A wide interval shows its bounds only, and says so if the share may be none.
 *
 * @param {IntervalValue} share 1 is everything
 * @returns {string} such as `46% (42–49)`, `25 to 54%` or `undecided: −8 to 43%`
 */
export function headlineShare(share) {
  return hasSign(share) ? shareText(share) : `undecided: ${bounds(share)}`;
}

/** @param {IntervalValue} share @returns {boolean} it is a cost, of whatever size, or its size is known */
function hasSign(share) {
  return isDecided(share) || share.low > 0;
}

/** @param {IntervalValue} share */
function shareText(share) {
  return isDecided(share) ? interval(share, percent) : bounds(share);
}

/**
 * @param {IntervalValue} share
 * @returns {string} in whole percent, such as `−8 to 43%`
 */
export function bounds({ low, high }) {
  const whole = (/** @type {number} */ value) => String(Math.round(100 * value)).replace('-', '−');
  return `${whole(low)} to ${whole(high)}%`;
}

/**
 * @param {number} rounds
 * @returns {string} the name of an interval over this number of rounds
 */
export function intervalName(rounds) {
  return rounds >= ROUNDS_FOR_INTERVAL ? '95% interval' : `range of ${rounds} rounds`;
}

/**
 * @param {number} rounds
 * @returns {string} for the end of a finding: how many rounds are behind its figures
 */
export function roundsText(rounds) {
  if (rounds === 1) return 'one round';
  return rounds >= ROUNDS_FOR_INTERVAL ? `n = ${rounds}` : intervalName(rounds);
}

/**
 * @param {string} id what it answers; unique within its benchmark, and the same in every run
 * @param {string} text
 * @param {readonly (Pick<CaseResult, 'id'> | string)[]} results that the text rests on, or their ids; may name one several times
 * @returns {Finding}
 */
export function finding(id, text, results) {
  return { id, text, evidence: [...new Set(results.map((each) => (typeof each === 'string' ? each : each.id)))] };
}

/**
 * A report shows findings of the version that makes it. Otherwise its answer and its sections could disagree about an earlier result.
 *
 * @param {Result} result
 * @param {readonly Suite[]} suites
 * @returns {Result} with findings computed from its numbers
 */
export function withFindings(result, suites) {
  const byName = new Map(suites.flatMap(({ benchmarks }) => benchmarks.map((each) => [each.name, each])));
  const options = { storages: result.storage, server: result.stack.server };
  const benchmarks = result.benchmarks.map((measured) => {
    const benchmark = byName.get(measured.name);
    if (!benchmark || benchmark.askedFindings || measured.cases.length === 0) return measured;
    return { ...measured, findings: benchmark.findings(measured, options) };
  });
  return { ...result, benchmarks };
}

/**
 * What a case costs against its baseline.
 *
 * @param {BenchmarkResult} benchmark
 * @param {string} id of the case
 * @param {{what: string, where: string}} words what: what the case adds to its baseline (`WAIT 1`); where: the other
 *   circumstances (`at pipeline depth 1`), may be empty
 * @returns {Finding | null} null when the case or its ratio to a baseline is missing
 */
export function costFinding(benchmark, id, words) {
  const find = (/** @type {string | undefined} */ wanted) => benchmark.cases.find((one) => one.id === wanted);
  const result = find(id);
  const baseline = find(result?.summary.relativeToBaseline?.baseline);
  if (!result || !baseline) return null;
  const text = costSentence(result, baseline, words);
  return text === null ? null : finding(`cost-${id}`, text, [baseline, result]);
}

/**
 * @param {CaseResult} result
 * @param {CaseResult} baseline
 * @param {{what: string, where: string}} words as for {@link costFinding}
 * @returns {string | null} such as `WAIT 1 costs 46% (42–49) of throughput at pipeline depth 1, n = 5`; null when the case has no
 *   ratio to a baseline
 */
export function costSentence(result, baseline, { what, where }) {
  const ratio = result.summary.relativeToBaseline?.throughput;
  if (!ratio) return null;
  const rounds = Math.min(result.rounds.length, baseline.rounds.length);
  const at = where === '' ? '' : ` ${where}`;
  const cost = costOf(ratio);
  if (!hasSign(cost)) return `The cost of ${what}${at} is undecided: ${bounds(cost)} of throughput`;
  const unchanged = rounds > 1 && cost.low <= 0 && cost.high >= 0;
  const text = unchanged
    ? `${what} has no measurable cost in throughput${at}: ${interval(cost, percent)}`
    : cost.median >= 0
      ? `${what} costs ${shareText(cost)} of throughput${at}`
      : `${what} gains ${interval({ median: ratio.median - 1, low: ratio.low - 1, high: ratio.high - 1 }, percent)} of throughput${at}`;
  return `${text}, ${roundsText(rounds)}${limits(result, baseline)}${losses(result)}`;
}

/**
 * A figure limited by the client says nothing about Redis.
 *
 * @param {CaseResult} result
 * @param {CaseResult} baseline
 */
function limits(result, baseline) {
  const [resultLimited, base] = [result, baseline].map(({ summary }) => summary.limitedBy === 'client');
  if (!resultLimited && !base) return '';
  const which = resultLimited && base ? 'both figures' : resultLimited ? 'this figure' : "the baseline's figure";
  const clients = new Set(
    [...(resultLimited ? [result] : []), ...(base ? [baseline] : [])].map(({ params }) => params.client),
  );
  return `; ${[...clients].map(clientTitle).join(' and ')} limited ${which}`;
}

/** @param {CaseResult} result */
function losses(result) {
  const { acked, underAcked, rejected, unknown } = outcomesOf(result);
  const lacking = underAcked + rejected + unknown;
  return lacking === 0 ? '' : `; ${count(lacking)} of ${count(acked + lacking)} writes were not acknowledged`;
}
