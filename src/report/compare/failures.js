/**
 * What failures did in two runs: acknowledged writes lost, and the longest time without an acknowledgement, by benchmark, case and writer.
 *
 * The rule. What a failure costs varies by trial, by chance: whether a write was on its way when the fault came.
 *
 * - B lost an acknowledged write where A lost none: worse. That it can be lost is a fact, and one trial shows it. That A lost none in
 *   few trials does not show that A could not, and the verdict's reason says how many there were.
 * - Both lost, or only A did: the shares lost of what was acknowledged are compared trial by trial (exact rank-sum test, two-sided,
 *   5%), and the share of all trials together has to differ by more than the threshold. With less than 4 trials a side no outcome of
 *   that test is below 5% (but 3 against 5 and 2 against 8): unknown.
 * - Neither lost: no difference, which says no more than that.
 * - A trial that acknowledged nothing had nothing to lose, and is not counted; a side that has no other trial: unknown.
 * - Times without an acknowledgement: by the same test; one that lasted until the end of the load is longer than all others.
 */

import { count, plural } from '../format.js';
import { groupsOf, total, unavailableOf } from '../trials/figures.js';

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
 * @property {number} ackedLost of those, how many were lost
 * @property {number | null} unavailableMs median over the trials; null: until the end of the load
 *
 * @typedef {Object} Judged
 * @property {FailureVerdict} verdict
 * @property {string} [reason] where the figures alone do not say it
 *
 * @typedef {Object} ComparedFailure one writer of a case that both have
 * @property {string} benchmark
 * @property {string} id of the case
 * @property {string} writer
 * @property {FailureSide} a
 * @property {FailureSide} b
 * @property {Judged} lost
 * @property {Judged} unavailable
 */

/** A difference that chance alone makes in no more than this share of comparisons is one. */
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

/**
 * @param {readonly ComparedFailure[]} failures
 * @param {FailureVerdict} verdict of either
 * @returns {ComparedFailure[]}
 */
export function failuresThatAre(failures, verdict) {
  return failures.filter(({ lost, unavailable }) => lost.verdict === verdict || unavailable.verdict === verdict);
}

/**
 * @param {Result} result
 * @returns {[string, {benchmark: string, group: Group}][]}
 */
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

/**
 * @param {Pick<Group, 'audits'>} group
 * @returns {FailureSide}
 */
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

/**
 * @param {Group} a
 * @param {Group} b
 * @param {number} threshold
 * @returns {Judged}
 */
function judgeLost(a, b, threshold) {
  const [auditsA, auditsB] = [a, b].map(({ audits }) => audits.filter(({ acked }) => acked > 0));
  if (auditsA.length === 0 || auditsB.length === 0) {
    const side = auditsA.length === 0 ? 'A' : 'B';
    return { verdict: 'unknown', reason: `${side} acknowledged nothing, so that it had nothing to lose` };
  }
  const [one, other] = [auditsA, auditsB].map((audits) => sideOf({ audits }));
  if (one.ackedLost + other.ackedLost === 0) return { verdict: 'no difference' };
  if (one.ackedLost === 0) {
    const chance = one.trials < 4 ? '; so few do not show that A cannot' : '';
    return { verdict: 'worse', reason: `A lost none in ${plural(one.trials, 'trial')}${chance}` };
  }
  const [sharesA, sharesB] = [auditsA, auditsB].map((audits) => audits.map(shareLost));
  return judge(sharesA, sharesB, { a: shareLost(one), b: shareLost(other), threshold });
}

/**
 * @param {Group} a
 * @param {Group} b
 * @param {number} threshold
 * @returns {Judged}
 */
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
    return { verdict: 'unknown', reason: `${trials}: too few to tell from chance; 4 a side would do` };
  }
  if (rankSumP(valuesA, valuesB) > MISSED) return { verdict: 'no difference' };
  // One trial far from the others can move a sum the other way than the ranks, which then say nothing for it.
  const above = valuesB
    .flatMap((y) => valuesA.map((x) => Number(y > x) - Number(y < x)))
    .reduce((so, one) => so + one, 0);
  // Also where A is 0 or both last until the end.
  if (above > 0 && b > a * (1 + threshold)) return { verdict: 'worse' };
  return { verdict: above < 0 && b < a * (1 - threshold) ? 'better' : 'no difference' };
}

/** @param {{acked: number, ackedLost: number}} counts acked: above 0 */
function shareLost({ acked, ackedLost }) {
  return ackedLost / acked;
}

/** @param {Group['audits']} audits */
function timesOf(audits) {
  return audits.map(({ unavailableMs }) => unavailableMs ?? Number.POSITIVE_INFINITY);
}

/**
 * @param {number} n
 * @param {number} m
 * @returns {number} the least that {@link rankSumP} can be, when each value of the one is above each of the other
 */
function leastP(n, m) {
  return rankSumP(
    Array.from({ length: n }, (_, i) => i),
    Array.from({ length: m }, (_, i) => n + i),
  );
}

/**
 * The exact rank-sum test, with ties: of all ways to deal the ranks to the two sides, the share in which the sum of the first lies as
 * far from the middle as it does here, or further.
 *
 * @param {readonly number[]} a at least one; Infinity is more than any other
 * @param {readonly number[]} b at least one
 * @returns {number} above 0, up to 1
 */
export function rankSumP(a, b) {
  const all = [...a, ...b].sort((x, y) => x - y);
  // Twice the mean of the ranks that equals share, so that they are whole.
  const rank = (/** @type {number} */ value) => all.indexOf(value) + all.lastIndexOf(value) + 2;
  const sum = a.reduce((so, value) => so + rank(value), 0);
  const middle = a.length * (all.length + 1);
  // ways[k]: sum → choices of k of the ranks so far that have it.
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
