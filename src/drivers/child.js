/** A program of other people: a process group, with lines on its input and output. It ends with this process: its input is then closed. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import pTimeout from 'p-timeout';
import { messageOf } from '../errors.js';
import { environmentForPrograms, signalGroup } from '../programs.js';
import { fromOutside } from '../untrusted.js';
import { has, problem } from './sentences.js';

/**
 * @import { Readable, Writable } from 'node:stream'
 * @import { ChildProcess } from 'node:child_process'
 * @typedef {{run: readonly string[], name: string, cwd?: string}} Command the program and its arguments; name: for errors
 * @typedef {Object} Listener
 * @property {(line: string) => void} onLine each line of its output
 * @property {(chunk: Buffer, stream: 'stdout' | 'stderr') => void} [onOutput] everything that it writes
 * @typedef {{status: number | null, signal: NodeJS.Signals | null, error?: unknown, log: string}} ChildEnded error: why it was not started; log:
 *   the end of its standard error, safe to show
 * @typedef {ReturnType<typeof startChild>} Child
 */

const LOG_BYTES = 16 * 1024;
const LOG_LINES = 20;
/** A driver connects within 15 s; a runtime has to start, too, perhaps beside twenty others. */
const READY_MS = 45_000;
const MOST_PROBLEMS = 100;

/** @param {Command} command @param {Listener} listener @throws {UserError} the program cannot be started */
export function startChild({ run: [program, ...args], name, cwd }, { onLine, onOutput }) {
  /** @type {ChildProcess} */
  let child;
  try {
    child = spawn(program, args, { cwd, detached: true, stdio: 'pipe', env: environmentForPrograms() });
  } catch (error) {
    throw problem('not-started', { name, why: messageOf(error) }, { cause: error });
  }
  const { stdin, stdout, stderr } =
    /** @type {ChildProcess & {stdin: Writable, stdout: Readable, stderr: Readable}} */ (child);
  let hasEnded = false;
  let log = '';
  createInterface({ input: stdout }).on('line', onLine);
  stdout.on('data', (/** @type {Buffer} */ chunk) => onOutput?.(chunk, 'stdout'));
  stderr.on('data', (/** @type {Buffer} */ chunk) => {
    onOutput?.(chunk, 'stderr');
    log = (log + chunk.toString('utf8')).slice(-LOG_BYTES);
  });
  // It may end before it has read everything.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});

  /** To its process group; ignored if it has ended. @param {NodeJS.Signals} name */
  const signal = (name) => signalGroup(child, name);

  /** Never rejects; every line was delivered by then. @type {Promise<ChildEnded>} */
  const ended = new Promise((resolve) => {
    /** @param {number | null} status @param {NodeJS.Signals | null} signal @param {unknown} [error] */
    function finish(status, signal, error) {
      hasEnded = true;
      resolve({ status, signal, error, log: endOf(log) });
    }
    // What it started and left must not keep its output open, nor stay.
    child.on('exit', () => signal('SIGKILL'));
    child.on('error', (error) => child.pid === undefined && finish(null, null, error));
    child.on('close', finish);
  });

  return {
    pid: child.pid ?? -1,
    ended,
    hasEnded: () => hasEnded,
    log: () => endOf(log),
    send: (/** @type {string} */ line) => void (stdin.writable && stdin.write(`${line}\n`)),
    closeInput: () => void stdin.end(),
    signal,
    /** @param {boolean} reading false: its output waits */
    read: (reading) => void (reading ? stdout.resume() : stdout.pause()),
    /** Closes its input, and kills it after this time; idempotent. @param {number} graceMs */
    endWithin(graceMs) {
      stdin.end();
      const late = setTimeout(() => signal('SIGKILL'), graceMs);
      return ended.finally(() => clearTimeout(late));
    },
  };
}

/**
 * Starts a driver, which gets its task as the first line.
 * @template Ready @param {Command} command @param {object | string} task sent as one line of JSON; a string is sent as it is
 * @param {Omit<Listener, 'onLine'> & {onLine: (line: string) => Ready | undefined, readyMs?: number}} options onLine: returns what a line
 *   says with which the driver is ready; readyMs: how long that may take; default: 45 s
 * @returns {Child & {ready: Promise<Ready>}} ready: rejects with a UserError when it ends or takes too long; it is killed then
 * @throws {UserError} the program cannot be started
 */
export function startWithTask(command, task, { onLine, readyMs = READY_MS, ...listener }) {
  const { name } = command;
  /** @type {(ready: Ready) => void} */
  let isReady;
  const said = new Promise((/** @type {(ready: Ready) => void} */ resolve) => {
    isReady = resolve;
  });
  const child = startChild(command, {
    ...listener,
    onLine(line) {
      const ready = onLine(line);
      if (ready) isReady(ready);
    },
  });
  const endsFirst = child.ended.then((end) => Promise.reject(endedEarly(name, end)));
  const ready = pTimeout(Promise.race([said, endsFirst]), {
    milliseconds: readyMs,
    fallback() {
      child.signal('SIGKILL');
      throw problem('not-ready', { name, seconds: readyMs / 1000 }, { detail: child.log() });
    },
  });
  // A caller that only waits for its end need not look at this.
  ready.catch(() => {});
  child.send(typeof task === 'string' ? task : JSON.stringify(task));
  return { ...child, ready };
}

/** @param {(problem: string) => void} tell @returns {(problem: string) => void} passes on the first ones */
export function firstProblems(tell) {
  let count = 0;
  return (what) => {
    if (count++ < MOST_PROBLEMS) tell(what);
  };
}

/** @param {string} name @param {ChildEnded} ended before it was ready */
function endedEarly(name, { status, signal, error, log }) {
  if (error !== undefined) return problem('not-started', { name, why: messageOf(error) }, { cause: error });
  const id = has(`status-${status}`) ? `status-${status}` : 'ended-early';
  return problem(id, { name, how: howEnded({ status, signal }) }, { detail: log });
}

/** @param {Pick<ChildEnded, 'status' | 'signal'>} end @returns {string} for a sentence about the program */
export function howEnded({ status, signal }) {
  return signal === null ? `ended with status ${status}` : `was ended by ${signal}`;
}

/** @param {string} log @returns {string} its last lines, safe to show */
export function endOf(log) {
  return fromOutside(log.trimEnd().split('\n').slice(-LOG_LINES).join('\n'));
}
