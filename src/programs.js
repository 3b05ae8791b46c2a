import { execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { NATS_PASSWORD_VARIABLE, PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from './untrusted.js';

/** `execFile` of Node.js with a promise: rejects unless the program ends with status 0. */
export const execute = promisify(execFile);

/** Each asks this process to end: Ctrl-C, `kill`, a terminal that went away, Ctrl-\\. */
export const ENDING_SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

/** A program that prints more than this is not what we look for. */
const MOST_OUTPUT_CHARACTERS = 2 ** 16;

/** Ends each program that {@link outputOfGroup} waits for. @type {Set<() => void>} */
const waitedFor = new Set();

/** @param {() => void} end */
function endOnSignals(end) {
  if (waitedFor.size === 0) for (const name of ENDING_SIGNALS) process.on(name, endAll);
  waitedFor.add(end);
}

/** @param {() => void} end as before; idempotent */
function forget(end) {
  if (waitedFor.delete(end) && waitedFor.size === 0) stopListening();
}

/** @param {NodeJS.Signals} name */
function endAll(name) {
  for (const end of waitedFor) end();
  waitedFor.clear();
  stopListening();
  // Without another listener the signal would have ended this process.
  if (process.listenerCount(name) === 0) process.kill(process.pid, name);
}

function stopListening() {
  for (const name of ENDING_SIGNALS) process.off(name, endAll);
}

/**
 * Runs a program that may be a wrapper of another one. All that it started in its process group ends with it, at the latest after the
 * time limit or with a signal to this process.
 *
 * @param {string} path
 * @param {readonly string[]} args
 * @param {{timeoutMs: number}} options
 * @returns {Promise<string>} its standard output; rejects if it cannot be started, or does not end by itself with status 0
 */
export function outputOfGroup(path, args, { timeoutMs }) {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    let stdout = '';
    const end = () => killGroup(child.pid);
    const timer = setTimeout(end, timeoutMs);
    endOnSignals(end);
    const ended = () => {
      clearTimeout(timer);
      forget(end);
    };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      if (stdout.length > MOST_OUTPUT_CHARACTERS) end();
    });
    child.once('error', (error) => {
      ended();
      reject(error);
    });
    child.once('close', (status) => {
      ended();
      if (status === 0) resolve(stdout);
      else reject(new Error(`${path} ended with status ${status}.`));
    });
  });
}

/** @param {number | undefined} pid of its first process; undefined: it was not started */
function killGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/**
 * @param {string} name of a program
 * @param {readonly string[]} [besides] further folders to search, after PATH
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

/**
 * @returns {NodeJS.ProcessEnv} without the passwords, for programs that do not need them; some outlive this process
 */
export function environmentForPrograms() {
  const passwords = [PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE, NATS_PASSWORD_VARIABLE];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !passwords.includes(name)));
}

/** Where Debian keeps the administrator's programs, out of the PATH of users. */
export const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin'];

/**
 * Runs a program of the system. It speaks English, and gets no passwords.
 *
 * @param {readonly string[]} command a path, or a name on PATH or in {@link SYSTEM_FOLDERS}, and its arguments
 * @param {string} [input] of its standard input
 * @returns {Promise<string>} its standard output; rejects with what it said
 */
export function runTool([program, ...args], input = '') {
  const PATH = [process.env.PATH ?? '', ...SYSTEM_FOLDERS].join(delimiter);
  return new Promise((resolve, reject) => {
    const env = { ...environmentForPrograms(), PATH, LC_ALL: 'C' };
    const child = execFile(program, args, { env }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message, { cause: error }));
      else resolve(stdout);
    });
    // A program that ends early closes its input; its own error says why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
