/**
 * Failure benchmarks: sentences computed from the audits and the timelines. Each names the level, the writer, and the whole
 * that a count was found in.
 */
import { groupsOf, longestSplitBrain, total, trialsOf } from './failure-totals.js';
import { caseTitle, lossText, milliseconds, partOf, unavailableText } from './failure-words.js';
import { plural } from './format.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').Finding} Finding
 * @typedef {import('./failure-schema.js').AuditResult} AuditResult
 * @typedef {import('./failure-totals.js').Group} Group
 * @typedef {import('./failure-totals.js').Choice} Choice
 *
 * @typedef {Choice & {what: string}} About what: what is done to the stack, starts the sentence: `Killing the primary`
 */

/**
 * @param {BenchmarkResult} result
 * @param {About} about
 * @returns {Finding | null} such as `Killing the primary, acknowledged writes lost: async: stays 20 of 32,697 (0.061 %),
 *   follows none of 31,004`; null: nothing of the kind was measured
 */
export function lossFinding(result, { what, ...choice }) {
  return byCase(`${what}, acknowledged writes lost`, groupsOf(result, choice), ({ audits }) => lossText(audits));
}

/**
 * The longest time without an acknowledgement.
 *
 * @param {BenchmarkResult} result
 * @param {About} about
 * @returns {Finding | null} null: nothing of the kind was measured
 */
export function unavailableFinding(result, { what, ...choice }) {
  const start = `${what}, longest time without an acknowledgement`;
  return byCase(start, groupsOf(result, choice), ({ audits }) => unavailableText(audits));
}

/**
 * @param {BenchmarkResult} result
 * @param {About} about
 * @returns {Finding | null} null: nothing of the kind was measured
 */
export function refusedFinding(result, { what, ...choice }) {
  return byCase(`${what}, writes refused with an error`, groupsOf(result, choice), ({ audits }) => {
    const attempted = total(audits, 'attempted');
    return attempted === 0 ? 'none was attempted' : partOf(total(audits, 'rejected'), attempted);
  });
}

/**
 * Writes answered OK whose WAIT counted too few replicas: what the application is told, and has to look at.
 *
 * @param {BenchmarkResult} result
 * @param {About} about
 * @returns {Finding | null} null: nothing of the kind was measured, or no case waits
 */
export function underAckedFinding(result, { what, ...choice }) {
  const groups = groupsOf(result, choice).filter(({ case: { params } }) => params.wait > 0);
  return byCase(`${what}, answered OK with too low a WAIT count`, groups, ({ audits }) => {
    const attempted = total(audits, 'attempted');
    return attempted === 0 ? 'none was attempted' : partOf(total(audits, 'underAcked'), attempted);
  });
}

/**
 * For how long two nodes accepted writes at once.
 *
 * @param {BenchmarkResult} result
 * @param {About} about
 * @returns {Finding | null} null: nothing of the kind was measured
 */
export function splitBrainFinding(result, { what, ...choice }) {
  const cases = [...new Set(groupsOf(result, choice).map((group) => group.case))];
  const measured = cases.flatMap((one) => {
    const trials = trialsOf(result, one);
    const longestMs = longestSplitBrain(trials);
    return longestMs === null ? [] : { one, longestMs, rounds: trials.length };
  });
  if (measured.length === 0) return null;
  const evidence = measured.map(({ one }) => one.id);
  if (measured.every(({ longestMs }) => longestMs === 0)) {
    const seen = `${plural(measured.length, 'case')}, ${plural(
      measured.reduce((sum, { rounds }) => sum + rounds, 0),
      'trial',
    )}`;
    return { text: `${what}, at no time did two nodes accept writes at once (${seen})`, evidence };
  }
  const told = measured.map(({ one, longestMs, rounds }) => {
    const title = caseTitle(one.params);
    if (longestMs === 0) return `${title}: never`;
    return `${title}: for ${milliseconds(longestMs)}${rounds > 1 ? `, the longest of ${rounds} rounds` : ''}`;
  });
  return { text: `${what}, two nodes accepted writes at once: ${told.join('; ')}`, evidence };
}

/**
 * A claim of an article, held against what was measured.
 *
 * @param {BenchmarkResult} result
 * @param {Object} examined
 * @param {string} examined.claim as the article puts it, without quotation marks
 * @param {string} examined.title of the article
 * @param {Choice} [examined.choice] the cases and writers it speaks of; default: all
 * @param {(audits: AuditResult[]) => boolean} examined.holds asked only when there is an audit
 * @param {(group: Group) => string} [examined.figures] what shows it, for each writer of each case; default: acknowledged
 *   writes lost
 * @returns {Finding}
 */
export function seedClaim(result, { claim, title, choice = {}, holds, figures }) {
  const groups = groupsOf(result, choice);
  const start = `The claim “${claim}” (“${title}”)`;
  if (groups.length === 0) return { text: `${start} was not examined: nothing of the kind was measured`, evidence: [] };
  const verdict = holds(groups.flatMap(({ audits }) => audits)) ? 'holds' : 'does not hold';
  const shown = figures ?? (({ audits }) => `lost ${lossText(audits)}`);
  return /** @type {Finding} */ (byCase(`${start} ${verdict} here`, groups, shown));
}

/**
 * For {@link seedClaim}: “no acknowledged write is lost”. Where nothing was acknowledged nothing shows that it holds.
 *
 * @param {readonly AuditResult[]} audits
 */
export function noneLost(audits) {
  return audits.every(({ ackedLost }) => ackedLost === 0) && total(audits, 'acked') > 0;
}

/**
 * @param {string} start
 * @param {readonly Group[]} groups
 * @param {(group: Group) => string} figure
 * @returns {Finding | null} null: there is no group
 */
function byCase(start, groups, figure) {
  if (groups.length === 0) return null;
  const cases = [...new Set(groups.map((group) => group.case))];
  const told = cases.map((one) => {
    const own = groups.filter((group) => group.case === one);
    return `${caseTitle(one.params)}: ${own.map((group) => `${group.writer} ${figure(group)}`).join(', ')}`;
  });
  return { text: `${start}: ${told.join('; ')}`, evidence: cases.map(({ id }) => id) };
}
