/**
 * Failure benchmarks: claims about the audit that can fail. A check that saw nothing it could have failed on does not
 * pass.
 */
import { sawFailover } from './failure-steps.js';
import { groupsOf, total } from './failure-totals.js';
import { caseTitle, lossText } from './failure-words.js';
import { count } from './format.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').Check} Check
 * @typedef {import('./failure-totals.js').Group} Group
 * @typedef {import('./failure-totals.js').Choice} Choice
 */

/** Enough to see what is wrong; the tables have the others. */
const SHOWN = 3;

/**
 * An error reply that says that a write was not applied has to be true.
 *
 * @param {BenchmarkResult} result
 * @param {Choice & {expectSome?: boolean}} [choice] expectSome: the scenario is one in which writes have to be rejected,
 *   and the check fails when none was
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
 * What never left cannot have arrived: this tests the audit itself.
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
 * Every value that is there is the one that was written, and no key is there that nobody wrote.
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
  if (read === 0) return { name, ok: false, detail: 'no value was read from any node, so nothing was put to the test' };
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
  if (held === 0) return { name, ok: false, detail: 'no node held anything, so nothing was put to the test' };
  return { name, ok: true, detail: `${count(held)} values on each, compared in ${audits.length} audits` };
}

/**
 * @param {BenchmarkResult} result
 * @param {Choice & {name?: string}} choice each writer of each case chosen has to have been acknowledged something; a level
 *   that the server does not know has no case and is not asked about. name: the claim, when the choice does not tell it all
 * @returns {Check}
 */
export function nothingAckedLost(result, { name = 'nothing acknowledged is lost', ...choice }) {
  const groups = groupsOf(result, choice);
  if (groups.length === 0) return { name, ok: false, detail: 'nothing of the kind was measured' };
  const failing = groups.filter(({ audits }) => total(audits, 'acked') === 0 || total(audits, 'ackedLost') > 0);
  const told = (failing.length > 0 ? failing : groups).map((group) => `${nameOf(group)}: ${lossText(group.audits)}`);
  return { name, ok: failing.length === 0, detail: failing.length > 0 ? some(told) : told.join('; ') };
}

/**
 * The scenario is about a failover, so that a run without one tells nothing.
 *
 * @param {BenchmarkResult} result
 * @param {Pick<Choice, 'levels' | 'variant'> & {expected?: boolean}} [choice] expected: false when there must be none
 * @returns {Check}
 */
export function failoverHappened(result, { expected = true, ...choice } = {}) {
  const name = expected ? 'every trial saw a failover' : 'no trial saw a failover';
  const cases = new Map(groupsOf(result, choice).map((group) => [group.case.id, group.case]));
  const trials = (result.timeline ?? []).filter((trial) => cases.has(trial.case));
  if (trials.length === 0) return { name, ok: false, detail: 'nothing of the kind was measured' };
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
  if (attempted === 0) return { name, ok: false, detail: 'nothing was written, so nothing was put to the test' };
  if (all === 0) return { name, ok: !expectSome, detail: `no write was ${noun}, so this was not put to the test` };
  return { name, ok: true, detail: `0 of ${count(all)} ${noun} writes are` };
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
  return `${caseTitle(params)}, ${writer}`;
}

/** @param {readonly string[]} lines */
function some(lines) {
  const more = lines.length - SHOWN;
  return [...lines.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
