/**
 * Printing: answers to standard output, everything else to standard error.
 */

import chalk, { chalkStderr } from 'chalk';

// See https://no-color.org.
if (process.env.NO_COLOR) for (const each of [chalk, chalkStderr]) each.level = 0;

/** @param {string} text */
export const print = (text) => void process.stdout.write(`${text}\n`);
/** @param {string} line */
export const tell = (line) => void process.stderr.write(`${line}\n`);

// Whoever read what is printed may have seen enough, as `head` has: that is no error of ours.
let readerGone = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error;
    readerGone = true;
  });
}

/** @returns {boolean} nobody reads what is printed any more */
export const isReaderGone = () => readerGone;
