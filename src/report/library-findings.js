/**
 * Failure benchmarks: what the Sentinel clients of the libraries made of it, with the options they have by default.
 */
import { groupsOf, LIBRARY_WRITERS, total, totalOrNull } from './failure-totals.js';
import { caseTitle, lossText } from './failure-words.js';
import { count, plural } from './format.js';

/**
 * @param {import('./schema.js').BenchmarkResult} result
 * @param {string} what is done to the stack, starts the sentence
 * @returns {import('./schema.js').Finding | null} null: no library wrote
 */
export function libraryFinding(result, what) {
  const groups = groupsOf(result, { writers: LIBRARY_WRITERS });
  if (groups.length === 0) return null;
  const told = groups.flatMap(({ case: { params }, writer, audits }) => {
    const lost = total(audits, 'ackedLost');
    const falseAcks = totalOrNull(audits, 'falseAcks') ?? 0;
    const twice = totalOrNull(audits, 'appliedTwice') ?? 0;
    if (lost + falseAcks + twice === 0) return [];
    const parts = [`lost ${lossText(audits)}`];
    if (falseAcks > 0) {
      parts.push(
        `${plural(falseAcks, 'acknowledgement')} by a WAIT on another connection than the write’s, ${count(totalOrNull(audits, 'falseAcksLost') ?? 0)} of them lost`,
      );
    }
    if (twice > 0) parts.push(`${plural(twice, 'write')} applied twice`);
    return `\`${writer}\` with ${caseTitle(params)}: ${parts.join(', ')}`;
  });
  return {
    text: `${what}, the libraries’ Sentinel clients with their default options: ${told.length === 0 ? 'nothing was lost, applied twice or acknowledged falsely' : told.join('; ')}`,
    evidence: [...new Set(groups.map((group) => group.case.id))],
  };
}
