/**
 * Printing: answers go to standard output, everything else to standard error. All output passes through here, so that all of it is
 * cleaned. If a stream cannot be written, the work goes on and the exit status says so at the end.
 */
import { fstatSync, writeSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import chalk, { chalkStderr } from 'chalk';
import { ExitStatus } from '../errors.js';
import { abortable } from '../run/interruption.js';
import { createProgress } from '../run/progress.js';
import { cleanDocument, forTerminal, visible } from '../untrusted.js';

// See https://no-color.org.
if (process.env.NO_COLOR) for (const each of [chalk, chalkStderr]) each.level = 0;

/**
 * @import { UserError } from '../errors.js' @import { Progress } from '../run/progress.js'
 * @typedef {NodeJS.WriteStream & {fd: number}} Stream
 */

/** Streams that cannot be written, and why. @type {Map<NodeJS.WriteStream, NodeJS.ErrnoException>} */
const broken = new Map();
let readerGone = false;

/** @param {string} text */
export const print = (text) => answer(forTerminal(`${text}\n`, { styled: chalk.level > 0 }));

/** @param {unknown} document JSON */
export const printJson = (document) => answer(`${visible(JSON.stringify(cleanDocument(document), null, 2))}\n`);

/** A long answer. Ends early when its reader has gone. @param {Iterable<string>} pieces */
export async function printPieces(pieces) {
  for (const piece of pieces) {
    // A closed pipe is only known in the next turn of the event loop.
    await nextTurn();
    if (readerGone) return;
    answer(forTerminal(piece, { styled: false }));
    while (process.stdout.writableNeedDrain && !readerGone && !broken.has(process.stdout)) await delay(1);
  }
}

/** @param {string} line */
export const tell = (line) => void write(process.stderr, forTerminal(`${line}\n`, { styled: chalkStderr.level > 0 }));

/** @param {UserError} error @returns {string} for `tell` */
export const errorText = ({ message, remedy, detail }) =>
  `${chalkStderr.red('error:')} ${message}\n${remedy}${detail ? `\n\n${detail}` : ''}`;

/**
 * @template T
 * @param {(progress: Progress, signal: AbortSignal, hurry: AbortSignal) => Promise<T>} work as of {@link abortable}; its progress is shown
 *   until it has settled
 */
export function withProgress(work) {
  const progress = createProgress();
  return abortable((...signals) => work(progress, ...signals), progress.tell).finally(progress.stop);
}

export const clearScreen = () => void process.stdout.write('\u001b[H\u001b[2J');

/** Falls back to standard error, because the answer may have taken hours to measure. @param {string} text clean */
function answer(text) {
  if (!write(process.stdout, text)) write(process.stderr, text);
}

/** @returns {boolean} the reader of a pipe has closed it */
export const isReaderGone = () => readerGone;

/** @param {Stream} stream @param {string} text @returns {boolean} false: nothing was written, or only a part */
function write(stream, text) {
  if (broken.has(stream)) return false;
  if (!isFile(stream)) {
    stream.write(text);
    return true;
  }
  const bytes = Buffer.from(text);
  try {
    // A disk that fills up takes a part of the text, which Node's stream does not report.
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
    // A reader such as `head` closes the pipe when it has enough. That is not an error.
    if (error.code === 'EPIPE') readerGone = true;
    else if (!broken.has(stream)) broken.set(stream, error);
  });
}

process.on('exit', (status) => {
  if (broken.size === 0) return;
  const why = broken.get(process.stdout)?.code;
  if (why !== undefined && !broken.has(process.stderr)) {
    tell(
      `${chalkStderr.red('error:')} Standard output cannot be written (${why}); the rest of it is printed above.\n` +
        'Make room on its disk, or redirect it to another place.',
    );
  }
  if (status === ExitStatus.ok || status === ExitStatus.checkFailed) process.exitCode = ExitStatus.environment;
});
