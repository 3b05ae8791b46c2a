/** What the program needs before it can be loaded. This file and what it imports must run on any Node.js with ES modules. */
import { closeSync, openSync } from 'node:fs';
import os from 'node:os';

/** Loading the program opens most of its files at once. A run needs more: two for each connection. */
const LEAST_FILES = 200;

/**
 * @param {string} version of Node.js, such as `20.3.0` @param {string} engines its range in package.json, such as `>=20.3.0`
 * @returns {string | null} what is wrong and what to do, in two lines; null: it is new enough
 */
export function whyTooOld(version, engines) {
  const least = engines.replace(/^>=/, '');
  const [is, needed] = [version, least].map((text) => text.split('.').map(Number));
  const at = needed.findIndex((part, i) => part !== is[i]);
  if (at < 0 || is[at] > needed[at]) return null;
  return `sentinel-bench needs Node.js ${least} or later; this is ${version}.\nInstall a newer Node.js, and run this again.`;
}

/** @param {() => number} [openOne] opens one file @returns what is wrong and what to do, in two lines; null: it can open enough */
export function whyTooFewFiles(openOne = () => openSync(os.devNull, 'r')) {
  /** @type {number[]} */
  const open = [];
  try {
    while (open.length < LEAST_FILES) open.push(openOne());
    return null;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'EMFILE') return null;
    return `This process may open only ${open.length} more files, and needs ${LEAST_FILES}.\nRaise the limit with \`ulimit -n 1024\`, and run this again.`;
  } finally {
    for (const file of open) closeSync(file);
  }
}
