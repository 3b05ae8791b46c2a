import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { journalFolder } from './journal-file.js';

/**
 * Stacks and journals of this test process alone.
 *
 * @returns {Promise<string>} the folder of everything, removed at the end
 */
export async function ownState() {
  const folder = await ownTemporaryFolder();
  mkdirSync(join(folder, 'state'));
  return folder;
}

/** @returns {string[]} names of the files that journals have now */
export function journalNames() {
  try {
    return readdirSync(journalFolder());
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}

/** @returns {any[]} the lines of the only journal there is, after the first */
export function journalLines() {
  const [name, ...others] = journalNames();
  if (name === undefined || others.length > 0) throw new Error(`not one journal: ${[name, ...others]}`);
  const text = readFileSync(join(journalFolder(), name), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
}
