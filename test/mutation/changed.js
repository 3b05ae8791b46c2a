/** Which lines changed since a commit, for the mutation of those lines only. */
import { spawnSync } from 'node:child_process';

/** `auto` goes back so many commits at most. */
const MOST_COMMITS = 20;

/**
 * @returns {string | null} the last release (a tag) or merge before HEAD, if it is one of the last 20 commits; else the commit 20 before
 *   HEAD, or the first one. It needs no other branch, so a clone of a single one will do. null: HEAD is the only commit here
 */
export function autoBase() {
  const log = git('log', '--first-parent', `--max-count=${MOST_COMMITS + 1}`, '--format=%H|%P|%D', 'HEAD');
  return log === null ? null : baseIn(log);
}

/**
 * @param {string} log of git, newest first: commit, parents and names of each, between bars
 * @returns {string | null}
 */
export function baseIn(log) {
  const [, ...earlier] = log
    .trim()
    .split('\n')
    .map((line) => line.split('|'));
  const step = earlier.find(([, parents, names]) => parents.includes(' ') || /\btag: /.test(names));
  return (step ?? earlier.at(-1))?.[0] ?? null;
}

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

/** @param {...string} words @returns {string | null} null: it failed */
function git(...words) {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return status === 0 ? stdout : null;
}
