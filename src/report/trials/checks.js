/**
 * Claims about the audits of trials, whatever the failure. A check is skipped without its cases, and fails when these had nothing to test.
 * @import { BenchmarkResult, Check } from '../../result/schema.js' @import { Choice, Group } from './figures.js'
 */

import { isPromotionDue, sawFailover } from '../../audit/judgement.js';
import { total } from '../../audit/of-trials.js';
import { sum } from '../../stats/statistics.js';
import { checkEach, claim } from '../checks.js';
import { groupsOf, lossText, PLAIN_TITLES } from './figures.js';

/** A benchmark, and which of its cases and writers are checked. @typedef {(result: BenchmarkResult, choice?: Choice) => Check} TrialCheck */

/**
 * What every benchmark of trials claims. @param {BenchmarkResult} result
 * @param {Choice} [choice] titles; writers: those that never send a write again. One that does may be refused after the write was applied @returns {Check[]}
 */
export function auditChecks(result, { writers, ...choice } = {}) {
  return [
    ...whereMeasured(result, { ...choice, writers }, (...of) => nothingIsPresent('rejected', ...of)),
    nothingIsPresent('unsent', result, choice),
    noWrongValues(result, choice),
    everyNodeAgrees(result, choice),
  ];
}

/**
 * @template {Choice} C @param {BenchmarkResult} result @param {C} choice @param {(result: BenchmarkResult, choice: C) => Check} check
 * @returns {Check[]} empty when the run left such cases out, as with `--client redis`. A case that was tried and failed makes the
 *   benchmark fail by itself
 */
export function whereMeasured(result, choice, check) {
  return groupsOf(result, choice).length === 0 ? [] : [check(result, choice)];
}

/**
 * A write that was answered with an error is on no node; one that was never sent tests the audit itself.
 * @param {'rejected' | 'unsent'} what writes @param {BenchmarkResult} result
 * @param {Choice & {expectSome?: boolean}} [choice] expectSome: the scenario must have such writes, so the check fails without one @returns {Check}
 */
export function nothingIsPresent(what, result, { expectSome = false, ...choice } = {}) {
  const groups = groupsOf(result, choice);
  const all = sum(groups.map(({ audits }) => total(audits, what)));
  const check = claim(what, groups, {
    title: titleOf,
    wrong({ audits }) {
      const present = total(audits, `${what}Present`);
      return present === 0 ? null : { present, all: total(audits, what) };
    },
    well: { all },
    tested: sum(groups.map(({ audits }) => total(audits, 'attempted'))),
  });
  return expectSome && all === 0 ? { ...check, ok: false } : check;
}

/** Every value is the one that was written, and every key was written. @type {TrialCheck} */
export function noWrongValues(result, choice) {
  const groups = groupsOf(result, choice);
  const read = sum(groups.flatMap(({ audits }) => audits.flatMap(({ present }) => Object.values(present))));
  return claim('values', groups, {
    title: titleOf,
    wrong({ audits }) {
      const [wrong, surplus] = [total(audits, 'wrongValue'), total(audits, 'surplus')];
      return wrong + surplus === 0 ? null : { wrong, surplus };
    },
    well: { read },
    tested: read,
  });
}

/** After convergence each node holds as many of the values as every other. @type {TrialCheck} */
export function everyNodeAgrees(result, choice) {
  const audits = groupsOf(result, choice).flatMap((group) => group.audits.map((audit) => ({ group, audit })));
  const values = sum(audits.map(({ audit }) => Math.max(0, ...Object.values(audit.present))));
  return claim('agreement', audits, {
    title: ({ group, audit }) => `${group.title}, round ${audit.round}`,
    wrong({ audit: { present } }) {
      const counts = Object.values(present);
      return counts.length > 1 && new Set(counts).size === 1 ? null : { nodes: Object.entries(present) };
    },
    well: { values, audits: audits.length },
    tested: values,
  });
}

/**
 * @param {BenchmarkResult} result
 * @param {Choice & {name?: string}} choice each writer of each chosen case needs acknowledged writes. A mode that the server does
 *   not know has no case. name: the claim, where the choice alone does not describe it @returns {Check}
 */
export function nothingAckedLost(result, { name = 'nothing acknowledged is lost', ...choice }) {
  const groups = groupsOf(result, choice);
  const isKept = (/** @type {Group} */ { audits }) => total(audits, 'acked') > 0 && total(audits, 'ackedLost') === 0;
  return checkEach(name, groups, (group) => (isKept(group) ? null : lossText(group.audits)), {
    title: titleOf,
    ...(choice.modes && { none: `this run did not measure ${choice.modes.join(', ')}` }),
    well: () => groups.map((group) => `${group.title}: ${lossText(group.audits)}`).join('; '),
  });
}

/**
 * As {@link failoverHappened}, for a benchmark whose faults may leave nobody who could promote a replica.
 * @param {BenchmarkResult} result @param {Pick<Choice, 'titles'>} [choice] @returns {Check[]} none if no trial was due a promotion
 */
export function failoverWhereDue(result, choice) {
  const all = (result.timeline ?? []).filter((trial) => result.cases.some(({ id }) => id === trial.case));
  const timeline = all.filter(isPromotionDue);
  return all.length > 0 && timeline.length === 0 ? [] : [failoverHappened({ ...result, timeline }, choice)];
}

/**
 * A scenario about a failover shows nothing in a trial without one. @param {BenchmarkResult} result
 * @param {Pick<Choice, 'modes' | 'variation' | 'titles'> & {expected?: boolean}} [choice] expected: false when there must be none @returns {Check}
 */
export function failoverHappened(result, { expected = true, titles = PLAIN_TITLES, ...choice } = {}) {
  const cases = new Map(groupsOf(result, choice).map((group) => [group.case.id, group.case]));
  const trials = (result.timeline ?? []).filter((trial) => cases.has(trial.case));
  return claim(expected ? 'failover' : 'no-failover', trials, {
    wrong: (trial) => (sawFailover(trial) === expected ? null : {}),
    title(trial) {
      const one = cases.get(trial.case);
      return `${one ? titles.case(one.params) : trial.case}, round ${trial.round}`;
    },
    well: { trials: trials.length },
    tested: trials.length,
  });
}

/** @param {Group} group */
const titleOf = ({ title }) => title;
