/**
 * Failure benchmarks: what the Sentinel clients of the libraries made of it, with the options they have by default.
 */
import { groupsOf, LIBRARY_WRITERS, totalOrNull } from './failure-totals.js';
import { caseTitle, lossText, unavailableText } from './failure-words.js';
import { count } from './format.js';

/**
 * @param {import('./schema.js').BenchmarkResult} result
 * @param {string} what is done to the stack, starts the sentence
 * @returns {import('./schema.js').Finding | null} null: no library wrote
 */
export function libraryFinding(result, what) {
  const groups = groupsOf(result, { writers: LIBRARY_WRITERS });
  if (groups.length === 0) return null;
  const told = groups.map(({ case: { params }, writer, audits }) => {
    const parts = [`lost ${lossText(audits)}`];
    if (params.wait > 0) parts.push(`false acknowledgements ${count(totalOrNull(audits, 'falseAcks') ?? 0)}`);
    parts.push(
      `applied twice ${count(totalOrNull(audits, 'appliedTwice') ?? 0)}`,
      `without an acknowledgement for ${unavailableText(audits)}`,
    );
    return `\`${writer}\`, ${caseTitle(params)}: ${parts.join(', ')}`;
  });
  return {
    text: `${what}, the libraries’ Sentinel clients with their default options: ${told.join('; ')}`,
    evidence: [...new Set(groups.map((group) => group.case.id))],
  };
}
