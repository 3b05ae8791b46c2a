/**
 * One driver as a child process: a process group of its own, the protocol on its standard input and output.
 *
 * A driver ends when this process ends, however that happens: its standard input is then closed.
 */
import { spawn } from 'node:child_process';
import { messageOf, UserError } from '../errors.js';
import { environmentForPrograms } from '../programs.js';
import { fromOutside } from '../untrusted.js';
import { createLineReader, LONGEST_LINE, readLine } from './lines.js';

/**
 * @import { Readable, Writable } from 'node:stream'
 * @import { ChildProcess } from 'node:child_process'
 * @import { Ready, Report } from './lines.js'
 */

/** How much of its log is kept, from the end. */
const LOG_BYTES = 16 * 1024;
/** Lines of the log that an error shows. */
const LOG_LINES = 8;
/** More problems than anybody reads. */
const MOST_PROBLEMS = 100;
/** A driver connects within 15 s; a runtime has to start, too, perhaps beside twenty others. */
const READY_MS = 45_000;
/** For the last lines, after the time that the driver has for the answers. */
export const END_MS = 3000;

/** What the statuses of a driver mean (docs/drivers.md). @type {Readonly<Record<number, {what: string, remedy: string}>>} */
const STATUSES = Object.freeze({
  2: { what: 'does not accept the task', remedy: 'Check it with `sentinel-bench driver check`.' },
  3: {
    what: 'cannot do the task',
    remedy: 'Build it with `sentinel-bench drivers build`, or choose another driver or mode.',
  },
  4: {
    what: 'could not connect to the primary',
    remedy: 'Check that the Sentinels agree on a primary and that it can be reached (sentinel-bench status).',
  },
});

/**
 * @typedef {Object} Command how to run a driver
 * @property {readonly string[]} run the program and its arguments
 * @property {string} name for errors
 * @property {string} [cwd]
 *
 * @typedef {Object} Listener
 * @property {(report: Report) => void} onReport each outcome, as it comes; may repeat or invent numbers
 * @property {(problem: string) => void} [onProblem] lines that are not of the protocol; the first ones only
 * @property {(chunk: Buffer, stream: 'stdout' | 'stderr') => void} [onOutput] everything that it writes
 *
 * @typedef {Object} Ended
 * @property {number | null} status
 * @property {NodeJS.Signals | null} signal
 * @property {number | null} due what `done` says; null: there was no `done`
 * @property {string} log the end of its standard error, safe to show
 *
 * @typedef {Object} Driver
 * @property {number} pid of the process and of its group
 * @property {Promise<Ready>} ready rejects with a UserError when it ends or takes too long; it is killed then
 * @property {Promise<Ended>} ended never rejects; every line was delivered by then
 * @property {boolean} hasEnded
 * @property {(atNs: bigint) => void} start
 * @property {() => void} stop
 * @property {() => void} closeInput
 * @property {(signal: NodeJS.Signals) => void} signal sent to its process group; ignored if it has ended
 * @property {(reading: boolean) => void} read false: its output waits
 * @property {(graceMs: number) => Promise<Ended>} end stops it, and kills it after this time; idempotent
 */

/**
 * @param {Command} command
 * @param {object | string} task sent as one line of JSON; a string is sent as it is
 * @param {Listener} listener
 * @param {{readyMs?: number}} [limits]
 * @returns {Driver}
 * @throws {UserError} the program cannot be started
 */
export function startDriver({ run: [program, ...args], name, cwd }, task, listener, { readyMs = READY_MS } = {}) {
  /** @type {ChildProcess} */
  let child;
  try {
    child = spawn(program, args, { cwd, detached: true, stdio: 'pipe', env: environmentForPrograms() });
  } catch (error) {
    throw notStarted(name, error);
  }
  const { stdin, stdout, stderr } =
    /** @type {ChildProcess & {stdin: Writable, stdout: Readable, stderr: Readable}} */ (child);
  let hasEnded = false;
  let log = '';
  let problems = 0;
  /** @type {number | null} */
  let due = null;
  /** @type {(ready: Ready) => void} */
  let isReady = () => {};
  /** @type {(error: Error) => void} */
  let isNotReady = () => {};
  const ready = new Promise((/** @type {typeof isReady} */ resolve, /** @type {typeof isNotReady} */ reject) => {
    isReady = resolve;
    isNotReady = reject;
  });
  // A caller that only waits for its end need not look at this.
  ready.catch(() => {});

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

  const lines = createLineReader(onLine, () => problem(`a line longer than ${LONGEST_LINE} bytes`));
  stdout.on('data', (/** @type {Buffer} */ chunk) => {
    listener.onOutput?.(chunk, 'stdout');
    lines.receive(chunk);
  });
  stderr.on('data', (/** @type {Buffer} */ chunk) => {
    listener.onOutput?.(chunk, 'stderr');
    log = (log + chunk.toString('utf8')).slice(-LOG_BYTES);
  });
  // It may end before it has read everything.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});

  const timer = setTimeout(() => {
    isNotReady(
      new UserError(
        `The driver ${name} was not ready within ${readyMs / 1000} s.`,
        'Check it with `sentinel-bench driver check`.',
        { detail: logEnd(log) },
      ),
    );
    signalGroup('SIGKILL');
  }, readyMs);
  ready.then(
    () => clearTimeout(timer),
    () => clearTimeout(timer),
  );

  /** @param {NodeJS.Signals} signal */
  function signalGroup(signal) {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // Every process of the group has ended.
    }
  }

  /** @type {Promise<Ended>} */
  const ended = new Promise((resolve) => {
    // What it started and left must not keep its output open, nor stay.
    child.on('exit', () => signalGroup('SIGKILL'));
    child.on('error', (error) => {
      isNotReady(notStarted(name, error));
      if (child.pid === undefined) finish(null, null);
    });
    child.on('close', finish);

    /** @param {number | null} status @param {NodeJS.Signals | null} signal */
    function finish(status, signal) {
      if (hasEnded) return;
      hasEnded = true;
      if (lines.end() !== '') problem('the last line has no end');
      isNotReady(endedEarly(name, { status, signal }, log));
      resolve({ status, signal, due, log: logEnd(log) });
    }
  });

  /** @param {string} line */
  const send = (line) => void (stdin.writable && stdin.write(`${line}\n`));

  send(typeof task === 'string' ? task : JSON.stringify(task));

  return {
    pid: child.pid ?? -1,
    ready,
    ended,
    get hasEnded() {
      return hasEnded;
    },
    start: (atNs) => send(`start ${atNs}`),
    stop: () => send('stop'),
    closeInput: () => void stdin.end(),
    signal: signalGroup,
    read: (reading) => void (reading ? stdout.resume() : stdout.pause()),
    async end(graceMs) {
      send('stop');
      stdin.end();
      const late = setTimeout(() => signalGroup('SIGKILL'), graceMs);
      try {
        return await ended;
      } finally {
        clearTimeout(late);
      }
    },
  };
}

/**
 * @param {string} name
 * @param {unknown} error
 */
function notStarted(name, error) {
  return new UserError(
    `The driver ${name} cannot be started: ${messageOf(error)}.`,
    'See `sentinel-bench drivers list` for what it needs.',
    { cause: error },
  );
}

/**
 * @param {string} name
 * @param {{status: number | null, signal: NodeJS.Signals | null}} end
 * @param {string} log
 */
function endedEarly(name, { status, signal }, log) {
  const meaning = status === null ? undefined : STATUSES[status];
  const how = signal === null ? `ended with status ${status}` : `was ended by ${signal}`;
  return new UserError(
    `The driver ${name} ${meaning?.what ?? `${how} before it was ready`}.`,
    meaning?.remedy ?? 'Check it with `sentinel-bench driver check`.',
    { detail: logEnd(log) },
  );
}

/** @param {string} log */
function logEnd(log) {
  return fromOutside(log.trimEnd().split('\n').slice(-LOG_LINES).join('\n'));
}
