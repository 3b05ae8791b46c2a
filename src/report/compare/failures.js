/**
 * Compares failures in two runs, by benchmark, case and writer: acknowledged writes lost, and the longest time without an acknowledgement.
 *
 * Losses vary from trial to trial: it is chance whether a write is under way when the fault comes. The rules:
 *
 * - A lost nothing, B lost an acknowledged write: worse. One trial proves that a loss is possible. The verdict's reason says how many
 *   trials A had, because few trials without a loss do not prove that A is safe.
 * - Both lost, or only A: an exact two-sided rank-sum test at 5% compares the lost shares trial by trial. The share over all trials must
 *   also differ by more than the threshold. With fewer than 4 trials in each run the test cannot reach 5% (except 3 against 5 and 2
 *   against 8): unknown.
 * - Neither lost: no difference, which proves no safety.
 * - Trials without an acknowledged write had nothing to lose and do not count. A run with such trials only: unknown.
 * - Times without an acknowledgement: the same test. A time until the end of the load ranks above all others.
 * @import { Result } from '../../result/schema.js' @import { Verdict } from '../../stats/comparison.js'
 * @import { Group } from '../trials/figures.js'
 * @typedef {ReturnType<typeof sideOf>} FailureSide
 * @typedef {{verdict: Verdict | 'unknown', reason?: string}} Judged reason: if the figures alone do not show it
 * @typedef {{benchmark: string, id: string, writer: string, a: FailureSide, b: FailureSide, lost: Judged, unavailable: Judged}} ComparedFailure
 *   one writer of a case (id) in both runs
 */

import { total, unavailableOf } from '../../audit/of-trials.js';
import { count, plural } from '../../format.js';
import { rankSumP } from '../../stats/comparison.js';
import { sum } from '../../stats/statistics.js';
import { groupsOf } from '../trials/figures.js';

/** A difference counts if chance alone makes it in at most this share of comparisons. */
const MISSED = 0.05;

/** In the order of A. @type {(a: Result, b: Result, options: {threshold: number}) => ComparedFailure[]} a: the base; threshold: 0 … 1 */
export function compareFailures(a, b, { threshold }) {
  const others = groupsIn(b);
  return groupsIn(a).flatMap(({ benchmark, id, writer, audits }) => {
    const other = others.find((each) => each.benchmark === benchmark && each.id === id && each.writer === writer);
    if (!other) return [];
    const lost = judgeLost(audits, other.audits, threshold);
    const unavailable = judgeUnavailable(audits, other.audits, threshold);
    return { benchmark, id, writer, a: sideOf(audits), b: sideOf(other.audits), lost, unavailable };
  });
}

/** @param {Result} result */
function groupsIn({ benchmarks }) {
  return benchmarks.flatMap((benchmark) =>
    groupsOf(benchmark).map((group) => ({ ...group, benchmark: benchmark.name, id: group.case.id })),
  );
}

/** @param {Group['audits']} audits one for each trial, at least one */
function sideOf(audits) {
  const { medianMs } = unavailableOf(audits);
  return {
    trials: audits.length,
    trialsWithLoss: audits.filter(({ ackedLost }) => ackedLost > 0).length,
    acked: total(audits, 'acked'),
    ackedLost: total(audits, 'ackedLost'),
    /** Median over the trials; null: until the end of the load. */
    unavailableMs: Number.isFinite(medianMs) ? medianMs : null,
  };
}

/** @param {Group['audits']} a @param {Group['audits']} b @param {number} threshold @returns {Judged} */
function judgeLost(a, b, threshold) {
  const [ackedA, ackedB] = [a, b].map((audits) => audits.filter(({ acked }) => acked > 0));
  if (ackedA.length === 0 || ackedB.length === 0) {
    const side = ackedA.length === 0 ? 'A' : 'B';
    return { verdict: 'unknown', reason: `${side} acknowledged nothing, so it had nothing to lose` };
  }
  const [one, other] = [ackedA, ackedB].map(sideOf);
  if (one.ackedLost + other.ackedLost === 0) return { verdict: 'no difference' };
  if (one.ackedLost === 0) {
    const chance = one.trials < 4 ? '; that few trials do not prove that A is safe' : '';
    return { verdict: 'worse', reason: `A lost none in ${plural(one.trials, 'trial')}${chance}` };
  }
  const share = (/** @type {{acked: number, ackedLost: number}} */ { acked, ackedLost }) => ackedLost / acked;
  return judge(ackedA.map(share), ackedB.map(share), { a: share(one), b: share(other), threshold });
}

/** @param {Group['audits']} a @param {Group['audits']} b @param {number} threshold */
function judgeUnavailable(a, b, threshold) {
  const time = (/** @type {{unavailableMs: number | null}} */ { unavailableMs }) =>
    unavailableMs ?? Number.POSITIVE_INFINITY;
  return judge(a.map(time), b.map(time), { a: time(sideOf(a)), b: time(sideOf(b)), threshold });
}

/**
 * @param {number[]} valuesA one a trial; less is better
 * @param {number[]} valuesB @param {{a: number, b: number, threshold: number}} sides a, b: what of all trials is compared by the threshold @returns {Judged}
 */
function judge(valuesA, valuesB, { a, b, threshold }) {
  // The least possible result: every value of one side is above all of the other.
  const leastP = rankSumP(
    valuesA.map((_, i) => i),
    valuesB.map((_, i) => valuesA.length + i),
  );
  if (leastP > MISSED) {
    const trials = `${plural(valuesA.length, 'trial')} against ${count(valuesB.length)}`;
    return { verdict: 'unknown', reason: `${trials}: too few to rule out chance; measure at least 4 in each run` };
  }
  if (rankSumP(valuesA, valuesB) > MISSED) return { verdict: 'no difference' };
  // One extreme trial can move a sum against the ranks. Then the ranks do not support a verdict.
  const above = sum(valuesB.flatMap((y) => valuesA.map((x) => Number(y > x) - Number(y < x))));
  // Also right if A is 0 or both last until the end.
  if (above > 0 && rounded(b) > rounded(a * (1 + threshold))) return { verdict: 'worse' };
  return { verdict: above < 0 && rounded(b) < rounded(a * (1 - threshold)) ? 'better' : 'no difference' };
}

/** @param {number} value without rounding errors: 100 × 1.15 is a hair less than 115 */
function rounded(value) {
  return Number(value.toPrecision(12));
}
