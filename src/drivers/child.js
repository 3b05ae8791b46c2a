/**
 * A program of other people as a child process: a process group of its own, lines on its standard input and output.
 *
 * It ends when this process ends, however that happens: its standard input is then closed.
 */
import { spawn } from 'node:child_process';
import pTimeout from 'p-timeout';
import { messageOf, UserError } from '../errors.js';
import { environmentForPrograms } from '../programs.js';
import { fromOutside } from '../untrusted.js';
import { createLineReader, LONGEST_LINE } from './lines.js';

/**
 * @import { Readable, Writable } from 'node:stream'
 * @import { ChildProcess } from 'node:child_process'
 */

/** How much of its log is kept, from the end. */
const LOG_BYTES = 16 * 1024;
/** Lines of the log that an error shows. */
const LOG_LINES = 8;
/** A driver connects within 15 s; a runtime has to start, too, perhaps beside twenty others. */
const READY_MS = 45_000;

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
 * @typedef {Object} ChildEnded
 * @property {number | null} status
 * @property {NodeJS.Signals | null} signal
 * @property {unknown} [error] why it was not started
 * @property {string} log the end of its standard error, safe to show
 *
 * @typedef {Object} Child
 * @property {number} pid of the process and of its group
 * @property {Promise<ChildEnded>} ended never rejects; every line was delivered by then
 * @property {boolean} hasEnded
 * @property {() => string} log the end of its standard error so far, safe to show
 * @property {(line: string) => void} send
 * @property {() => void} closeInput
 * @property {(signal: NodeJS.Signals) => void} signal sent to its process group; ignored if it has ended
 * @property {(reading: boolean) => void} read false: its output waits
 * @property {(graceMs: number) => Promise<ChildEnded>} endWithin closes its input, and kills it after this time; idempotent
 */

/**
 * @param {Command} command
 * @param {Object} listener
 * @param {(line: string) => void} listener.onLine each line of its output
 * @param {(problem: string) => void} listener.onProblem its output is not made of lines
 * @param {(chunk: Buffer, stream: 'stdout' | 'stderr') => void} [listener.onOutput] everything that it writes
 * @returns {Child}
 * @throws {UserError} the program cannot be started
 */
export function startChild({ run: [program, ...args], name, cwd }, { onLine, onProblem, onOutput }) {
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
  const lines = createLineReader(onLine, () => onProblem(`a line longer than ${LONGEST_LINE} bytes`));
  stdout.on('data', (/** @type {Buffer} */ chunk) => {
    onOutput?.(chunk, 'stdout');
    lines.receive(chunk);
  });
  stderr.on('data', (/** @type {Buffer} */ chunk) => {
    onOutput?.(chunk, 'stderr');
    log = (log + chunk.toString('utf8')).slice(-LOG_BYTES);
  });
  // It may end before it has read everything.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});

  /** @param {NodeJS.Signals} signal */
  function signalGroup(signal) {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // Every process of the group has ended.
    }
  }

  /** @type {Promise<ChildEnded>} */
  const ended = new Promise((resolve) => {
    // What it started and left must not keep its output open, nor stay.
    child.on('exit', () => signalGroup('SIGKILL'));
    child.on('error', (error) => {
      if (child.pid === undefined) finish(null, null, error);
    });
    child.on('close', finish);

    /** @param {number | null} status @param {NodeJS.Signals | null} signal @param {unknown} [error] */
    function finish(status, signal, error) {
      if (hasEnded) return;
      hasEnded = true;
      if (lines.end() !== '') onProblem('the last line has no end');
      resolve({ status, signal, error, log: logEnd(log) });
    }
  });

  return {
    pid: child.pid ?? -1,
    ended,
    get hasEnded() {
      return hasEnded;
    },
    log: () => logEnd(log),
    send: (line) => void (stdin.writable && stdin.write(`${line}\n`)),
    closeInput: () => void stdin.end(),
    signal: signalGroup,
    read: (reading) => void (reading ? stdout.resume() : stdout.pause()),
    async endWithin(graceMs) {
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
 * @param {Child} child
 * @param {number} [withinMs]
 * @returns {{ready: Promise<any>, isReady: (value: any) => void}} ready: rejects with a UserError when the program ends or takes too long;
 *   it is killed then
 */
export function whenReady(name, child, withinMs = READY_MS) {
  /** @type {(value: any) => void} */
  let isReady = () => {};
  const said = new Promise((resolve) => {
    isReady = resolve;
  });
  const endsFirst = child.ended.then((end) => Promise.reject(endedEarly(name, end)));
  const ready = pTimeout(Promise.race([said, endsFirst]), {
    milliseconds: withinMs,
    fallback() {
      child.signal('SIGKILL');
      throw new UserError(
        `The driver ${name} was not ready within ${withinMs / 1000} s.`,
        'Check it with `sentinel-bench driver check`.',
        { detail: child.log() },
      );
    },
  });
  // A caller that only waits for its end need not look at this.
  ready.catch(() => {});
  return { ready, isReady };
}

/** @param {string} name @param {ChildEnded} ended before it was ready */
function endedEarly(name, { status, signal, error, log }) {
  if (error !== undefined) return notStarted(name, error);
  const meaning = status === null ? undefined : STATUSES[status];
  const how = signal === null ? `ended with status ${status}` : `was ended by ${signal}`;
  return new UserError(
    `The driver ${name} ${meaning?.what ?? `${how} before it was ready`}.`,
    meaning?.remedy ?? 'Check it with `sentinel-bench driver check`.',
    { detail: log },
  );
}

/** @param {string} name @param {unknown} error */
function notStarted(name, error) {
  return new UserError(
    `The driver ${name} cannot be started: ${messageOf(error)}.`,
    'See `sentinel-bench drivers list` for what it needs.',
    { cause: error },
  );
}

/** @param {string} log */
function logEnd(log) {
  return fromOutside(log.trimEnd().split('\n').slice(-LOG_LINES).join('\n'));
}
