/** One driver of writes: the protocol `sentinel-bench/driver@1` on the standard input and output of a child process. */
import { firstProblems, startWithTask } from './child.js';
import { readLine } from './lines.js';

/**
 * @import { Command } from './child.js'
 * @import { Ready, OutcomeReport } from './lines.js'
 * @typedef {Object} DriverListener
 * @property {(report: OutcomeReport) => void} onReport each outcome, as it comes; may repeat or invent numbers
 * @property {(problem: string) => void} [onProblem] lines that are not of the protocol; the first ones only
 * @property {(chunk: Buffer, stream: 'stdout' | 'stderr') => void} [onOutput] everything that it writes
 * @property {number} [readyMs] how long it may take until it is ready; default: 45 s
 * @typedef {ReturnType<typeof startDriver>} Driver
 */

/** For the last lines, after the time that the driver has for the answers. */
export const END_MS = 3000;

/**
 * @param {Command} command @param {object | string} task as of {@link startWithTask} @param {DriverListener} listener
 * @throws {UserError} the program cannot be started
 */
export function startDriver(command, task, { onReport, onProblem, ...listener }) {
  const problem = firstProblems((what) => onProblem?.(what));
  let due = /** @type {number | null} */ (null);

  /** @param {string} text @returns {Ready | undefined} */
  function onLine(text) {
    const line = readLine(text);
    if (line.type === 'ready') return line.ready;
    if (line.type === 'bad') problem(line.problem);
    else if (due !== null) problem('a line after `done`');
    else if (line.type === 'done') due = line.due;
    else onReport(line);
    return undefined;
  }

  const child = startWithTask(command, task, { ...listener, onLine });
  /** due: what `done` says; null: there was no `done`. */
  const ended = child.ended.then((end) => ({ ...end, due }));
  const stop = () => child.send('stop');
  return {
    ...child,
    ended,
    start: (/** @type {bigint} */ atNs) => child.send(`start ${atNs}`),
    stop,
    /** Stops it, and kills it after this time; idempotent. @param {number} graceMs */
    async end(graceMs) {
      stop();
      await child.endWithin(graceMs);
      return ended;
    },
  };
}
