/**
 * Running a program to its end, with what it said and what it used.
 */
import { spawn } from 'node:child_process';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../private-files.js';
import { environmentForPrograms } from '../programs.js';
import { endedChildrenCpuSeconds, peakMemoryBytes } from './child-use.js';

const MEMORY_POLL_MS = 50;
/** The end of what it wrote to standard error, in characters. */
const ERROR_TAIL = 1000;

/**
 * @typedef {Object} Use
 * @property {number | null} cpuSeconds user and system time from its start to its end; null where it is not known. Right as
 *   long as no other child of this process ends meanwhile
 * @property {number | null} memoryBytes the most resident memory it had
 *
 * @typedef {Object} Limits
 * @property {number} timeoutMs it is killed after that
 * @property {AbortSignal} signal it is killed when that is aborted
 */

/**
 * @param {string} name of a program on PATH
 * @param {string[]} args
 * @param {Limits} limits
 * @returns {Promise<Use & {output: string}>} with what it wrote to standard output; rejects when it cannot be started, is
 *   killed, or ends with a status other than 0, and tells what it said last
 */
export async function runProgram(name, args, limits) {
  const folder = makeTemporaryFolder('sentinel-bench-');
  try {
    // A file, because a program that is told to write to /dev/stdout cannot open what Node makes of a pipe: a socket.
    const path = join(folder, 'output');
    const file = await open(path, 'w');
    const cpuBefore = endedChildrenCpuSeconds();
    const memoryBytes = await ended(name, args, { ...limits, output: file.fd, folder }).finally(() => file.close());
    const cpuAfter = endedChildrenCpuSeconds();
    return {
      output: await readFile(path, 'utf8'),
      memoryBytes,
      cpuSeconds: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * @param {string} name
 * @param {string[]} args
 * @param {Limits & {output: number, folder: string}} options output: descriptor that becomes its standard output; folder: where
 *   it runs, and leaves what it leaves behind when it crashes
 * @returns {Promise<number | null>} the most memory it had, in bytes
 */
function ended(name, args, { output, folder, timeoutMs, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, {
      cwd: folder,
      env: environmentForPrograms(),
      stdio: ['ignore', output, 'pipe'],
      timeout: timeoutMs,
      signal,
      killSignal: 'SIGKILL',
    });
    let complaint = '';
    /** @type {number | null} */
    let memoryBytes = null;
    const watch = setInterval(() => {
      if (child.pid !== undefined) memoryBytes = peakMemoryBytes(child.pid) ?? memoryBytes;
    }, MEMORY_POLL_MS);
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      complaint = (complaint + text).slice(-ERROR_TAIL);
    });
    child.on('error', (error) => {
      complaint = error.message;
    });
    child.on('close', (status, killed) => {
      clearInterval(watch);
      if (status === 0) resolve(memoryBytes);
      else reject(new Error(`${name} ended with ${killed ?? `status ${status}`}: ${lastLine(complaint)}`));
    });
  });
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1)?.trim();
}
