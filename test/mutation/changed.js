/**
 * Which lines changed since a commit, for the mutation of those lines only.
 */
import { spawnSync } from 'node:child_process';

/**
 * @param {string} base a commit or a branch
 * @returns {Map<string, string[]> | null} of each changed file its ranges of new lines, such as `src/wait.js:3-7`, since this branch left
 *   `base`; null: the history does not reach that far back, as in a shallow clone
 */
export function changedLines(base) {
  const fork = git('merge-base', base, 'HEAD');
  const diff =
    fork && git('diff', '--unified=0', '--no-color', '--no-ext-diff', '--diff-filter=d', fork.trim(), '--', '*.js');
  return diff === null ? null : linesOf(diff);
}

/**
 * @param {string} diff of git, without context
 * @returns {Map<string, string[]>}
 */
export function linesOf(diff) {
  /** @type {Map<string, string[]>} */
  const files = new Map();
  let file = '';
  for (const line of diff.split('\n')) {
    const [, name] = /^\+\+\+ b\/(.+)$/.exec(line) ?? [];
    const [, first, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (name !== undefined) file = name;
    // A count of 0: lines were only removed.
    if (first === undefined || count === '0') continue;
    const range = `${file}:${first}-${Number(first) + Number(count) - 1}`;
    files.set(file, [...(files.get(file) ?? []), range]);
  }
  return files;
}

/**
 * @param {...string} words
 * @returns {string | null} null: it failed
 */
function git(...words) {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return status === 0 ? stdout : null;
}
