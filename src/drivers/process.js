/** One driver of writes: the protocol `sentinel-bench/driver@1` on the standard input and output of a child process. */
import { startChild, whenReady } from './child.js';
import { readLine } from './lines.js';

/**
 * @import { Child, Command, ChildEnded } from './child.js'
 * @import { Ready, OutcomeReport } from './lines.js'
 */

/** More problems than anybody reads. */
const MOST_PROBLEMS = 100;
/** For the last lines, after the time that the driver has for the answers. */
export const END_MS = 3000;

/**
 * @typedef {Object} DriverListener
 * @property {(report: OutcomeReport) => void} onReport each outcome, as it comes; may repeat or invent numbers
 * @property {(problem: string) => void} [onProblem] lines that are not of the protocol; the first ones only
 * @property {(chunk: Buffer, stream: 'stdout' | 'stderr') => void} [onOutput] everything that it writes
 *
 * @typedef {ChildEnded & {due: number | null}} DriverEnded due: what `done` says; null: there was no `done`
 *
 * @typedef {Object} DriverProtocol
 * @property {Promise<Ready>} ready rejects with a UserError when it ends or takes too long; it is killed then
 * @property {Promise<DriverEnded>} ended never rejects; every line was delivered by then
 * @property {(atNs: bigint) => void} start
 * @property {() => void} stop
 * @property {(graceMs: number) => Promise<DriverEnded>} end stops it, and kills it after this time; idempotent
 *
 * @typedef {DriverProtocol & Pick<Child, 'pid' | 'hasEnded' | 'closeInput' | 'signal' | 'read'>} Driver
 */

/**
 * @param {Command} command
 * @param {object | string} task sent as one line of JSON; a string is sent as it is
 * @param {DriverListener} listener
 * @param {{readyMs?: number}} [limits] default: 45 s
 * @returns {Driver}
 * @throws {UserError} the program cannot be started
 */
export function startDriver(command, task, listener, { readyMs } = {}) {
  let problems = 0;
  /** @type {number | null} */
  let due = null;

  /** @param {string} what */
  function problem(what) {
    if (problems++ < MOST_PROBLEMS) listener.onProblem?.(what);
  }

  /** @param {string} text */
  function onLine(text) {
    const line = readLine(text);
    if (line.type === 'bad') problem(line.problem);
    else if (line.type === 'ready') isReady(line.ready);
    else if (due !== null) problem('a line after `done`');
    else if (line.type === 'done') due = line.due;
    else listener.onReport(line);
  }

  const child = startChild(command, { onLine, onProblem: problem, onOutput: listener.onOutput });
  const { ready, isReady } = whenReady(command.name, child, readyMs);
  const ended = child.ended.then((end) => ({ ...end, due }));
  child.send(typeof task === 'string' ? task : JSON.stringify(task));
  const stop = () => child.send('stop');

  return {
    pid: child.pid,
    ready,
    ended,
    get hasEnded() {
      return child.hasEnded;
    },
    start: (atNs) => child.send(`start ${atNs}`),
    stop,
    closeInput: child.closeInput,
    signal: child.signal,
    read: child.read,
    async end(graceMs) {
      stop();
      await child.endWithin(graceMs);
      return ended;
    },
  };
}
