/**
 * Failure benchmarks: sentences computed from the audits and the timelines. Each names the level, the writer, and the whole
 * that a count was found in.
 */
import { duringFault } from './failure-steps.js';
import { groupsOf, longestSplitBrain, OWN_WRITERS, total, trialsOf } from './failure-totals.js';
import { caseTitle, lossText, milliseconds, partOf } from './failure-words.js';
import { percent } from './format.js';

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
 * A scenario in one sentence: with which levels acknowledged writes were lost, with which none, and for how long nobody was
 * acknowledged anything, or two nodes accepted writes side by side. The worse of the writers counts; the table has both.
 *
 * @param {BenchmarkResult} result
 * @param {About} about
 * @returns {Finding | null} null: nothing was acknowledged in anything of the kind
 */
export function outcomeFinding(result, { what, writers = OWN_WRITERS, ...choice }) {
  const groups = groupsOf(result, { ...choice, writers }).filter(({ audits }) => total(audits, 'acked') > 0);
  if (groups.length === 0) return null;
  const cases = [...new Set(groups.map((group) => group.case))];
  const shares = cases.map((one) => {
    const own = groups.filter((group) => group.case === one);
    const worst = Math.max(...own.map(({ audits }) => total(audits, 'ackedLost') / total(audits, 'acked')));
    // Without commas of its own, in a list.
    return { title: caseTitle(one.params).replaceAll(', ', ' '), worst };
  });
  const losing = shares.filter(({ worst }) => worst > 0).sort((a, b) => b.worst - a.worst);
  const safe = shares.filter(({ worst }) => worst === 0).map(({ title }) => title);
  const parts = [];
  if (losing.length > 0) {
    parts.push(
      `acknowledged writes were lost with ${losing.map(({ title, worst }) => `${title} (${percent(worst)})`).join(', ')}`,
    );
  }
  if (safe.length > 0) parts.push(`none was lost with ${safe.join(', ')}`);
  const away = groups.flatMap(({ audits }) =>
    audits.map(({ unavailableMs }) => unavailableMs ?? Number.POSITIVE_INFINITY),
  );
  parts.push(`without an acknowledgement for ${range(Math.min(...away), Math.max(...away))}`);
  const splitMs = Math.max(0, ...cases.map((one) => longestSplitBrain(trialsOf(result, one)) ?? 0));
  if (splitMs > 0) parts.push(`two nodes accepted writes side by side for up to ${milliseconds(splitMs)}`);
  return { text: `${what}: ${parts.join('; ')}`, evidence: cases.map(({ id }) => id) };
}

/**
 * @param {number} lowMs
 * @param {number} highMs
 */
function range(lowMs, highMs) {
  const [low, high] = [milliseconds(lowMs), milliseconds(highMs)];
  return low === high ? low : `${low} … ${high}`;
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
 * What response times were like before a fault and while it lasted.
 *
 * @param {BenchmarkResult} result
 * @param {string} what is done to the stack, starts the sentence
 * @returns {Finding | null} null: nothing was measured
 */
export function slownessFinding({ cases, timeline = [] }, what) {
  if (timeline.length === 0) return null;
  const told = cases.map(({ id, params }) => {
    const { before, during } = duringFault(timeline.filter((trial) => trial.case === id));
    return `${caseTitle(params)}: ${milliseconds(during)} (${milliseconds(before)} before)`;
  });
  return {
    text: `${what}, p99 of response time in a typical tenth of a second: ${told.join('; ')}`,
    evidence: cases.map(({ id }) => id),
  };
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
