/** Other programs: where they are, and running them. @import { ChildProcess } from 'node:child_process' */
import { execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from './errors.js';
import { NATS_PASSWORD_VARIABLE, PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from './untrusted.js';

/** `execFile` of Node.js with a promise: rejects unless the program ends with status 0. */
export const execute = promisify(execFile);

/** Each asks this process to end: Ctrl-C, `kill`, a terminal that went away, Ctrl-\\. */
export const ENDING_SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

/** How long an interrupted program may take to end before it is killed. */
const END_DEADLINE_MS = 3000;

/**
 * @typedef {{status: number | null, stdout: string, stderr: string, timedOut: boolean, failure: NodeJS.ErrnoException | null}} Ended
 *   status: null: it was killed, or could not be run; failure: why it could not be run (`ENOENT`: there is no such program)
 */

/**
 * Runs a program to its end, in a process group of its own: Ctrl-C in a terminal does not end it half-way through, and what it started ends
 * with it. It gets no passwords. Never rejects: the result holds the failure.
 * @param {readonly string[]} command @param {Object} [options] @param {NodeJS.ProcessEnv} [options.env] added to this process's environment
 * @param {string | Buffer} [options.input] of its standard input @param {string} [options.cwd]
 * @param {AbortSignal} [options.signal] ends the program early; the promise still waits until it has ended
 * @param {number} [options.timeoutMs] > 0 @param {(pid: number) => void} [options.onStart] @returns {Promise<Ended>}
 */
export function runProgram([program, ...args], { env, input = '', cwd, signal, timeoutMs, onStart } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: { ...environmentForPrograms(), ...env }, cwd, detached: true });
    if (child.pid !== undefined) onStart?.(child.pid);
    const said = { stdout: '', stderr: '' };
    let timedOut = false;
    /** @type {NodeJS.ErrnoException | null} */
    let failure = null;
    /** @type {NodeJS.Timeout | undefined} */
    let killTimer;

    function end() {
      signalGroup(child, 'SIGINT');
      killTimer ??= setTimeout(() => signalGroup(child, 'SIGKILL'), END_DEADLINE_MS);
    }
    const late = () => {
      timedOut = true;
      end();
    };
    const timer = timeoutMs && setTimeout(late, timeoutMs);

    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      child[name].setEncoding('utf8').on('data', (text) => {
        said[name] += text;
      });
    }
    child.on('error', (error) => {
      failure = error;
    });
    child.on('close', (status) => {
      clearTimeout(timer);
      clearTimeout(killTimer);
      signal?.removeEventListener('abort', end);
      resolve({ status: failure ? null : status, ...said, timedOut, failure });
    });
    // A program that ends early closes its input; its own error says why.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

/** To all processes of a group. @param {ChildProcess} leader that may have ended @param {NodeJS.Signals} name */
export function signalGroup({ pid }, name) {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch (error) {
    // All of it has ended.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/**
 * @param {readonly string[]} command @param {Parameters<typeof runProgram>[1]} [options]
 * @returns {Promise<string>} its standard output; rejects if it cannot be started, or with what it said if its status is not 0
 */
export async function outputOf(command, options) {
  const { status, stdout, stderr, failure } = await runProgram(command, options);
  if (status === 0) return stdout;
  throw failure ?? new Error(stderr.trim() || `${command.join(' ')} ended with status ${status}`);
}

/**
 * @param {string} name of a program @param {readonly string[]} [besides] further folders to search, after PATH
 * @returns {string | null} its path; null: not found, or not executable for this user
 */
export function programPath(name, besides = []) {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...besides];
  const isThere = (/** @type {string} */ path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return folders.map((folder) => join(folder, name)).find(isThere) ?? null;
}

/** @returns {NodeJS.ProcessEnv} without the passwords, for programs that do not need them; some outlive this process */
export function environmentForPrograms() {
  const passwords = [PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE, NATS_PASSWORD_VARIABLE];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !passwords.includes(name)));
}

/** Where Debian keeps the administrator's programs, out of the PATH of users. */
export const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin'];

/**
 * @param {string} purpose such as `slow links need tc` @param {Readonly<Record<string, string>>} needed program → how to get it
 * @returns {string | null} why this process may not use these programs of Linux as root, and the remedy, without a full stop; null: it may
 */
export function whyNotAsRoot(purpose, needed) {
  if (process.platform !== 'linux') return `${purpose}, so run this on Linux`;
  if (process.getuid?.() !== 0) return `${purpose}, so run this as root, for instance with sudo`;
  const absent = Object.keys(needed).find((program) => programPath(program, SYSTEM_FOLDERS) === null);
  return absent === undefined ? null : `there is no ${absent}, so ${needed[absent]}`;
}

/** The system's programs speak English, and are found without the user's PATH. */
export const TOOL_ENVIRONMENT = { PATH: [process.env.PATH ?? '', ...SYSTEM_FOLDERS].join(delimiter), LC_ALL: 'C' };

/**
 * @param {readonly string[]} command a path, or a name on PATH or in {@link SYSTEM_FOLDERS}, and its arguments
 * @param {string | Buffer} [input] of its standard input @returns {Promise<string>} its standard output; rejects with what it said
 */
export function runTool(command, input) {
  return outputOf(command, { env: TOOL_ENVIRONMENT, input });
}
