/**
 * Building the drivers of a language: its commands, one after the other. This is the only step that may download something. What is built is in a
 * folder of this user for each folder of drivers. A stamp says from what it was built.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { codeOf } from '../errors.js';
import { makeFolders } from '../files.js';
import { isPrivateFolder, readOwnFile } from '../private-files.js';
import { runProgram } from '../programs.js';
import { fromOutside } from '../untrusted.js';
import { endOf, howEnded } from './child.js';
import { problem } from './sentences.js';

/** @import { Language } from './manifest.js' */

const VARIABLE = 'XDG_CACHE_HOME';
const STAMP = '.sentinel-bench-built';
/** What tools leave beside sources. */
const NOT_SOURCE = new Set(['node_modules', 'target', 'build', 'vendor', '__pycache__', '.git']);
const MOST_FILES = 2000;
/** Its commands are in the stamp; new words in it need no build. */
const MANIFEST = 'driver.json';

/** @typedef {{source: string, cache: string, build: readonly (readonly string[])[]}} Built folders and commands */

/** By the XDG rules, which ignore a relative path. @param {string} source absolute, without links @returns {string} where it is built */
export function cacheOf(source) {
  const named = process.env[VARIABLE] ?? '';
  const base = isAbsolute(named) ? named : join(homedir(), '.cache');
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 12);
  return join(base, 'sentinel-bench', 'drivers', `${basename(source)}-${digest}`);
}

/** @param {string} cache @returns {boolean} it is there, with the folders above it @throws {UserError} other users may write to one of them */
const isPrivate = (cache) =>
  [dirname(dirname(cache)), dirname(cache), cache].every((folder) => isPrivateFolder(folder, VARIABLE));

/** @param {Built} built @returns {boolean} it was built from these files with these commands */
export function isBuilt(built) {
  // Checked before anything in it is read, because it is run later.
  return isPrivate(built.cache) && readOwnFile(join(built.cache, STAMP)) === stampOf(built);
}

/**
 * Makes the folder, and takes away the mark of a former build.
 * @param {Pick<Built, 'cache'>} built @throws {UserError} it cannot be made, or other users may write to it
 */
function openCache({ cache }) {
  // Existing folders are checked first, so that nothing is made behind a link.
  isPrivate(cache);
  try {
    makeFolders(cache, { mode: 0o700 });
  } catch (error) {
    throw problem('no-cache', { cache, code: codeOf(error), variable: VARIABLE }, { cause: error });
  }
  isPrivate(cache);
  rmSync(join(cache, STAMP), { force: true });
}

/**
 * @param {Language} language whose programs are there
 * @param {{tell: (line: string) => void, signal?: AbortSignal}} options tell: gets each command before it runs
 * @throws {UserError} a command fails; the drivers then count as not built
 */
export async function buildLanguage(language, { tell, signal }) {
  const { id, source, install } = language;
  openCache(language);
  for (const command of language.build) {
    signal?.throwIfAborted();
    const shown = fromOutside(command.join(' '));
    tell(`${id}: ${shown}`);
    const { status, stdout, stderr, failure } = await runProgram(command, { cwd: source, signal });
    signal?.throwIfAborted();
    if (status === 0) continue;
    const how = failure ? `cannot be started (${codeOf(failure)})` : howEnded({ status, signal: null });
    const needs = install === null ? '' : ` What the language needs: ${install}.`;
    throw problem('not-built', { id, command: shown, how, needs }, { detail: endOf(stdout + stderr) });
  }
  writeFileSync(join(language.cache, STAMP), stampOf(language), { mode: 0o600 });
}

/** @param {Built} built @returns {string} changes with any file of the source and with the commands */
function stampOf({ source, build }) {
  const hash = createHash('sha256').update(JSON.stringify(build));
  for (const file of filesIn(source)) hash.update(`\0${file}\0`).update(readFileSync(join(source, file)));
  return hash.digest('hex');
}

/** @param {string} folder @param {string} [below] a folder in it @returns {string[]} paths of its files, in a fixed order */
function filesIn(folder, below = '') {
  const names = readdirSync(join(folder, below)).sort();
  const paths = names.filter((name) => !NOT_SOURCE.has(name)).map((name) => join(below, name));
  const found = paths.flatMap((path) => {
    const stats = lstatSync(join(folder, path));
    if (stats.isDirectory()) return filesIn(folder, path);
    return stats.isFile() && path !== MANIFEST ? path : [];
  });
  return found.slice(0, MOST_FILES);
}
