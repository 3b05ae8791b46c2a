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
 */

import { total, unavailableOf } from '../../audit/of-trials.js';
import { count, plural } from '../../format.js';
import { groupsOf } from '../trials/figures.js';

/**
 * @import { Result } from '../../result/schema.js'
 * @import { Verdict } from '../../stats/comparison.js'
 * @import { Group } from '../trials/figures.js'
 */

/**
 * @typedef {Verdict | 'unknown'} FailureVerdict
 *
 * @typedef {Object} FailureSide
 * @property {number} trials at least one
 * @property {number} trialsWithLoss
 * @property {number} acked writes, in all trials
 * @property {number} ackedLost lost ones among them
 * @property {number | null} unavailableMs median over the trials; null: until the end of the load
 *
 * @typedef {Object} Judged
 * @property {FailureVerdict} verdict
 * @property {string} [reason] if the figures alone do not show it
 *
 * @typedef {Object} ComparedFailure one writer of a case in both runs
 * @property {string} benchmark
 * @property {string} id of the case
 * @property {string} writer
 * @property {FailureSide} a
 * @property {FailureSide} b
 * @property {Judged} lost
 * @property {Judged} unavailable
 */

/** A difference counts if chance alone makes it in at most this share of comparisons. */
const MISSED = 0.05;

/**
 * @param {Result} a the base
 * @param {Result} b what is judged
 * @param {{threshold: number}} options threshold: 0 … 1
 * @returns {ComparedFailure[]} in the order of A
 */
export function compareFailures(a, b, { threshold }) {
  const others = new Map(groupsByName(b));
  return groupsByName(a).flatMap(([name, { benchmark, group }]) => {
    const other = others.get(name)?.group;
    if (!other) return [];
    return {
      benchmark,
      id: group.case.id,
      writer: group.writer,
      a: sideOf(group),
      b: sideOf(other),
      lost: judgeLost(group, other, threshold),
      unavailable: judgeUnavailable(group, other, threshold),
    };
  });
}

/** @param {Result} result @returns {[string, {benchmark: string, group: Group}][]} */
function groupsByName({ benchmarks }) {
  return benchmarks.flatMap((benchmark) =>
    groupsOf(benchmark).map(
      (group) =>
        /** @type {[string, {benchmark: string, group: Group}]} */ ([
          `${benchmark.name}/${group.case.id}/${group.writer}`,
          { benchmark: benchmark.name, group },
        ]),
    ),
  );
}

/** @param {Pick<Group, 'audits'>} group */
function sideOf({ audits }) {
  const { medianMs } = unavailableOf(audits);
  return {
    trials: audits.length,
    trialsWithLoss: audits.filter(({ ackedLost }) => ackedLost > 0).length,
    acked: total(audits, 'acked'),
    ackedLost: total(audits, 'ackedLost'),
    unavailableMs: Number.isFinite(medianMs) ? medianMs : null,
  };
}

/** @param {Group} a @param {Group} b @param {number} threshold @returns {Judged} */
function judgeLost(a, b, threshold) {
  const [auditsA, auditsB] = [a, b].map(({ audits }) => audits.filter(({ acked }) => acked > 0));
  if (auditsA.length === 0 || auditsB.length === 0) {
    const side = auditsA.length === 0 ? 'A' : 'B';
    return { verdict: 'unknown', reason: `${side} acknowledged nothing, so it had nothing to lose` };
  }
  const [one, other] = [auditsA, auditsB].map((audits) => sideOf({ audits }));
  if (one.ackedLost + other.ackedLost === 0) return { verdict: 'no difference' };
  if (one.ackedLost === 0) {
    const chance = one.trials < 4 ? '; that few trials do not prove that A is safe' : '';
    return { verdict: 'worse', reason: `A lost none in ${plural(one.trials, 'trial')}${chance}` };
  }
  const [sharesA, sharesB] = [auditsA, auditsB].map((audits) => audits.map(shareLost));
  return judge(sharesA, sharesB, { a: shareLost(one), b: shareLost(other), threshold });
}

/** @param {Group} a @param {Group} b @param {number} threshold @returns {Judged} */
function judgeUnavailable(a, b, threshold) {
  const [one, other] = [a, b].map((group) => sideOf(group).unavailableMs ?? Number.POSITIVE_INFINITY);
  return judge(timesOf(a.audits), timesOf(b.audits), { a: one, b: other, threshold });
}

/**
 * @param {number[]} valuesA one a trial; less is better
 * @param {number[]} valuesB
 * @param {{a: number, b: number, threshold: number}} sides a, b: what of all trials is compared by the threshold
 * @returns {Judged}
 */
function judge(valuesA, valuesB, { a, b, threshold }) {
  const trials = `${plural(valuesA.length, 'trial')} against ${count(valuesB.length)}`;
  if (leastP(valuesA.length, valuesB.length) > MISSED) {
    return { verdict: 'unknown', reason: `${trials}: too few to rule out chance; measure at least 4 in each run` };
  }
  if (rankSumP(valuesA, valuesB) > MISSED) return { verdict: 'no difference' };
  // One extreme trial can move a sum against the ranks. Then the ranks do not support a verdict.
  const above = valuesB
    .flatMap((y) => valuesA.map((x) => Number(y > x) - Number(y < x)))
    .reduce((sum, one) => sum + one, 0);
  // Also right if A is 0 or both last until the end.
  if (above > 0 && rounded(b) > rounded(a * (1 + threshold))) return { verdict: 'worse' };
  return { verdict: above < 0 && rounded(b) < rounded(a * (1 - threshold)) ? 'better' : 'no difference' };
}

/** @param {number} value without rounding errors: 100 × 1.15 is a hair less than 115 */
function rounded(value) {
  return Number(value.toPrecision(12));
}

/** @param {{acked: number, ackedLost: number}} counts acked: above 0 */
function shareLost({ acked, ackedLost }) {
  return ackedLost / acked;
}

/** @param {Group['audits']} audits */
function timesOf(audits) {
  return audits.map(({ unavailableMs }) => unavailableMs ?? Number.POSITIVE_INFINITY);
}

/** @param {number} n @param {number} m @returns {number} the least possible {@link rankSumP}: every value of one side is above all of the other */
function leastP(n, m) {
  return rankSumP(
    Array.from({ length: n }, (_, i) => i),
    Array.from({ length: m }, (_, i) => n + i),
  );
}

/**
 * The exact rank-sum test, with ties: of all ways to deal the ranks to the two sides, the share in which the first side's sum is at
 * least as far from the middle as here.
 * @param {readonly number[]} a at least one; Infinity is more than any other
 * @param {readonly number[]} b at least one
 * @returns {number} above 0, up to 1
 */
export function rankSumP(a, b) {
  const all = [...a, ...b].sort((x, y) => x - y);
  // Twice the mean rank of equal values, to stay with integers.
  const rank = (/** @type {number} */ value) => all.indexOf(value) + all.lastIndexOf(value) + 2;
  const sum = a.reduce((total, value) => total + rank(value), 0);
  const middle = a.length * (all.length + 1);
  // ways[k]: sum → number of choices of k ranks with that sum.
  const ways = Array.from({ length: a.length + 1 }, () => /** @type {Map<number, number>} */ (new Map()));
  ways[0].set(0, 1);
  for (const value of all) {
    for (let k = a.length; k >= 1; k--) {
      for (const [before, number] of ways[k - 1]) {
        const now = before + rank(value);
        ways[k].set(now, (ways[k].get(now) ?? 0) + number);
      }
    }
  }
  let far = 0;
  let total = 0;
  for (const [each, number] of ways[a.length]) {
    total += number;
    if (Math.abs(each - middle) >= Math.abs(sum - middle)) far += number;
  }
  return far / total;
}
