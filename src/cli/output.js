/**
 * Printing: answers to standard output, everything else to standard error. Nothing else writes to either, so that all that is printed is
 * cleaned first. Where one of them cannot be written, the work goes on, and the process ends with a status that says so.
 */
import { fstatSync, writeSync } from 'node:fs';
import chalk, { chalkStderr } from 'chalk';
import { ExitStatus } from '../errors.js';
import { cleanDocument, forTerminal, visible } from '../untrusted.js';

// See https://no-color.org.
if (process.env.NO_COLOR) for (const each of [chalk, chalkStderr]) each.level = 0;

/** @typedef {NodeJS.WriteStream & {fd: number}} Stream */

/** Streams that cannot be written, and why. @type {Map<NodeJS.WriteStream, NodeJS.ErrnoException>} */
const broken = new Map();
let readerGone = false;

/** @param {string} text */
export const print = (text) =>
  answer(
    forTerminal(
      `${text}
`,
      { styled: chalk.level > 0 },
    ),
  );

/** @param {unknown} document JSON */
export const printJson = (document) => answer(`${visible(JSON.stringify(cleanDocument(document), null, 2))}\n`);

/** @param {string} line */
export const tell = (line) => void write(process.stderr, forTerminal(`${line}\n`, { styled: chalkStderr.level > 0 }));

/** Prints over what a terminal shows. */
export const clearScreen = () => void process.stdout.write('\u001b[H\u001b[2J');

/**
 * What standard output does not take goes to standard error: it may have been measured for hours.
 *
 * @param {string} text clean
 */
function answer(text) {
  if (!write(process.stdout, text)) write(process.stderr, text);
}

/** @returns {boolean} nobody reads what is printed any more */
export const isReaderGone = () => readerGone;

/**
 * @param {Stream} stream
 * @param {string} text
 * @returns {boolean} false: it was not written, or only a part of it
 */
function write(stream, text) {
  if (broken.has(stream)) return false;
  if (!isFile(stream)) {
    stream.write(text);
    return true;
  }
  const bytes = Buffer.from(text);
  try {
    // A disk that becomes full takes a part, and Node's stream would not tell.
    for (let at = 0; at < bytes.length; ) at += writeSync(stream.fd, bytes, at);
    return true;
  } catch (error) {
    broken.set(stream, /** @type {NodeJS.ErrnoException} */ (error));
    return false;
  }
}

/** @param {Stream} stream */
function isFile({ fd, isTTY }) {
  const stats = fstatSync(fd);
  return stats.isFile() || (stats.isCharacterDevice() && !isTTY);
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    // Whoever read what is printed may have seen enough, as `head` has: that is no error of ours.
    if (error.code === 'EPIPE') readerGone = true;
    else if (!broken.has(stream)) broken.set(stream, error);
  });
}

process.on('exit', (status) => {
  if (broken.size === 0) return;
  const why = broken.get(process.stdout)?.code;
  if (why !== undefined && !broken.has(process.stderr)) {
    tell(
      `${chalkStderr.red('error:')} Standard output cannot be written (${why}); what it did not take is printed above.\n` +
        'Make room where it leads, or redirect it to another place.',
    );
  }
  if (status === ExitStatus.ok || status === ExitStatus.checkFailed) process.exitCode = ExitStatus.environment;
});
