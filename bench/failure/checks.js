/**
 * Claims about the audits of failure trials. A check fails when it had nothing to test.
 *
 * @import { BenchmarkResult, Check } from '../../src/result/schema.js'
 * @import { Choice, Group } from '../../src/report/trials/figures.js'
 */

import { count } from '../../src/report/format.js';
import { groupsOf, lossText, total } from '../../src/report/trials/figures.js';
import { sawFailover } from '../../src/report/trials/timeline.js';
import { caseTitle, OWN_WRITERS, writerTitle } from './cases.js';

/** Enough to see what is wrong; the tables have the others. */
const SHOWN = 3;

/**
 * @template {Choice} C
 * @param {BenchmarkResult} result
 * @param {C} choice
 * @param {(result: BenchmarkResult, choice: C) => Check} check
 * @returns {Check[]} empty when the run left such cases out, as with `--client redis`. A case that was tried and failed makes the
 *   benchmark fail by itself
 */
export function whereMeasured(result, choice, check) {
  const { modes, variant, writers } = choice;
  return groupsOf(result, { modes, variant, writers }).length === 0 ? [] : [check(result, choice)];
}

/**
 * What every failure benchmark claims, whatever the fault.
 *
 * @param {BenchmarkResult} result
 * @returns {Check[]}
 */
export function auditChecks(result) {
  return [
    // A library that repeats a write may be refused after the write was applied; a finding reports that.
    ...whereMeasured(result, { writers: OWN_WRITERS }, nothingRejectedIsPresent),
    nothingUnsentIsPresent(result),
    noWrongValues(result),
    everyNodeAgrees(result),
  ];
}

/**
 * What a benchmark claims in addition when a replica is promoted.
 *
 * @param {BenchmarkResult} result
 * @returns {Check[]}
 */
export function failoverChecks(result) {
  return [
    failoverHappened(result),
    // Whichever replica is promoted, it has confirmed the write.
    ...whereMeasured(result, { name: 'nothing that WAIT 2 acknowledged is lost', modes: ['wait2'] }, nothingAckedLost),
    ...auditChecks(result),
  ];
}

/**
 * A write that was answered with an error is on no node.
 *
 * @param {BenchmarkResult} result
 * @param {Choice & {expectSome?: boolean}} [choice] expectSome: the scenario must reject writes, so the check fails
 *   without a rejected write
 * @returns {Check}
 */
export function nothingRejectedIsPresent(result, choice = {}) {
  return nothingOfIsPresent(result, choice, {
    name: 'nothing rejected is present',
    noun: 'rejected',
    whole: ({ audits }) => total(audits, 'rejected'),
    part: ({ audits }) => total(audits, 'rejectedPresent'),
  });
}

/**
 * A write that was never sent is on no node. This tests the audit itself.
 *
 * @param {BenchmarkResult} result
 * @param {Choice & {expectSome?: boolean}} [choice] expectSome: as for {@link nothingRejectedIsPresent}
 * @returns {Check}
 */
export function nothingUnsentIsPresent(result, choice = {}) {
  return nothingOfIsPresent(result, choice, {
    name: 'nothing that was never sent is present',
    noun: 'unsent',
    whole: ({ audits }) => total(audits, 'unsent'),
    part: ({ audits }) => total(audits, 'unsentPresent'),
  });
}

/**
 * Every value is the one that was written, and every key was written.
 *
 * @param {BenchmarkResult} result
 * @param {Choice} [choice]
 * @returns {Check}
 */
export function noWrongValues(result, choice = {}) {
  const groups = groupsOf(result, choice);
  const read = sum(groups, ({ audits }) =>
    audits.reduce((all, { present }) => all + Object.values(present).reduce((a, b) => a + b, 0), 0),
  );
  const wrongIn = (/** @type {Group} */ { audits }) => total(audits, 'wrongValue') + total(audits, 'surplus');
  const wrong = groups.filter((group) => wrongIn(group) > 0);
  const name = 'no node holds a wrong value or a key that was never written';
  if (wrong.length > 0) {
    const told = wrong.map(
      (group) =>
        `${nameOf(group)}: ${count(total(group.audits, 'wrongValue'))} wrong values, ${count(total(group.audits, 'surplus'))} surplus keys`,
    );
    return { name, ok: false, detail: some(told) };
  }
  if (read === 0) return { name, ok: false, detail: 'no value was read from any node, so this tested nothing' };
  return { name, ok: true, detail: `${count(read)} values were read, all nodes together` };
}

/**
 * After convergence each node holds as many of the values as every other.
 *
 * @param {BenchmarkResult} result
 * @param {Choice} [choice]
 * @returns {Check}
 */
export function everyNodeAgrees(result, choice = {}) {
  const name = 'after healing every node holds the same';
  const audits = groupsOf(result, choice).flatMap((group) => group.audits.map((audit) => ({ group, audit })));
  const differing = audits.filter(({ audit }) => {
    const counts = Object.values(audit.present);
    return counts.length < 2 || new Set(counts).size > 1;
  });
  if (differing.length > 0) {
    const told = differing.map(({ group, audit: { round, present } }) => {
      const nodes = Object.entries(present).map(([id, values]) => `${id} ${count(values)}`);
      return `${nameOf(group)}, round ${round}: ${nodes.length === 0 ? 'no node was read' : nodes.join(', ')}`;
    });
    return { name, ok: false, detail: some(told) };
  }
  const held = audits.reduce((all, { audit }) => all + Math.max(...Object.values(audit.present)), 0);
  if (held === 0) return { name, ok: false, detail: 'no node held a value, so this tested nothing' };
  return { name, ok: true, detail: `${count(held)} values on each, compared in ${audits.length} audits` };
}

/**
 * @param {BenchmarkResult} result
 * @param {Choice & {name?: string}} choice each writer of each chosen case needs acknowledged writes. A mode that the server does
 *   not know has no case. name: the claim, where the choice alone does not describe it
 * @returns {Check}
 */
export function nothingAckedLost(result, { name = 'nothing acknowledged is lost', ...choice }) {
  const groups = groupsOf(result, choice);
  if (groups.length === 0) return { name, ok: false, detail: 'no such case was measured' };
  const failing = groups.filter(({ audits }) => total(audits, 'acked') === 0 || total(audits, 'ackedLost') > 0);
  const told = (failing.length > 0 ? failing : groups).map((group) => `${nameOf(group)}: ${lossText(group.audits)}`);
  return { name, ok: failing.length === 0, detail: failing.length > 0 ? some(told) : told.join('; ') };
}

/**
 * The scenario is about a failover, so that a run without one tells nothing.
 *
 * @param {BenchmarkResult} result
 * @param {Pick<Choice, 'modes' | 'variant'> & {expected?: boolean}} [choice] expected: false when there must be none
 * @returns {Check}
 */
export function failoverHappened(result, { expected = true, ...choice } = {}) {
  const name = expected ? 'every trial saw a failover' : 'no trial saw a failover';
  const cases = new Map(groupsOf(result, choice).map((group) => [group.case.id, group.case]));
  const trials = (result.timeline ?? []).filter((trial) => cases.has(trial.case));
  if (trials.length === 0) return { name, ok: false, detail: 'no such case was measured' };
  const others = trials.filter((trial) => sawFailover(trial) !== expected);
  if (others.length === 0) return { name, ok: true, detail: `${count(trials.length)} trials` };
  const told = others.map((trial) => {
    const one = cases.get(trial.case);
    return `${one ? caseTitle(one.params) : trial.case}, round ${trial.round}: ${expected ? 'none' : 'one'}`;
  });
  return { name, ok: false, detail: some(told) };
}

/**
 * @param {BenchmarkResult} result
 * @param {Choice & {expectSome?: boolean}} choice
 * @param {{name: string, noun: string, whole: (group: Group) => number, part: (group: Group) => number}} what
 * @returns {Check}
 */
function nothingOfIsPresent(result, { expectSome = false, ...choice }, { name, noun, whole, part }) {
  const groups = groupsOf(result, choice);
  const attempted = sum(groups, ({ audits }) => total(audits, 'attempted'));
  const all = sum(groups, whole);
  const there = groups.filter((group) => part(group) > 0);
  if (there.length > 0) {
    const told = there.map(
      (group) => `${nameOf(group)}: ${count(part(group))} of ${count(whole(group))} ${noun} writes are present`,
    );
    return { name, ok: false, detail: some(told) };
  }
  if (attempted === 0) return { name, ok: false, detail: 'nothing was written, so this tested nothing' };
  if (all === 0) return { name, ok: !expectSome, detail: `no write was ${noun}, so this tested nothing` };
  return { name, ok: true, detail: `0 of ${count(all)} ${noun} writes are present` };
}

/**
 * @param {readonly Group[]} groups
 * @param {(group: Group) => number} value
 */
function sum(groups, value) {
  return groups.reduce((all, group) => all + value(group), 0);
}

/** @param {Group} group */
function nameOf({ case: { params }, writer }) {
  return `${caseTitle(params)}, ${writerTitle(writer)}`;
}

/** @param {readonly string[]} lines */
function some(lines) {
  const more = lines.length - SHOWN;
  return [...lines.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
