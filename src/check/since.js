/**
 * What has changed since a saved check.
 *
 * @import { SavedCheck } from './files.js'
 * @import { Judgement } from './judge.js'
 */

/**
 * @param {SavedCheck} earlier
 * @param {readonly Judgement[]} judgements
 * @returns {string[]} a line for each finding that is new or gone
 */
export function changesSince(earlier, judgements) {
  const lines = judgements.flatMap(({ deployment: { masterName }, findings }) => {
    const before = earlier.deployments.find((each) => each.masterName === masterName)?.findings ?? [];
    return [
      ...findings
        .filter(({ id }) => !before.some((each) => each.id === id))
        .map(({ id, text }) => `new   ${masterName} ${id}: ${text}`),
      ...before
        .filter(({ id }) => !findings.some((each) => each.id === id))
        .map(({ id, text }) => `gone  ${masterName} ${id}: ${text}`),
    ];
  });
  return lines.length === 0 ? ['Nothing has changed since the saved check.'] : lines;
}
