/** The commit that the tool was run from. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @returns {Promise<string | null>} the commit, with `-dirty` when files differ from it; null when the tool does not run
 *   from a git checkout of its own
 */
export async function toolCommit() {
  /** @param {string[]} words */
  const git = async (...words) => (await promisify(execFile)('git', ['-C', root, ...words])).stdout.trim();
  try {
    // A copy inside somebody else's repository is not described by that repository's commit.
    if ((await git('rev-parse', '--show-prefix')) !== '') return null;
    return await git('describe', '--always', '--dirty', '--abbrev=12', '--match=');
  } catch {
    return null;
  }
}
