/** Programs apart from this process: each has a session of its own, a log, and a working directory by which it is known to be ours. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { codeOf } from '../errors.js';
import { environmentForPrograms } from '../programs.js';

/** The file in its working directory with its process id. It is read each time, because another process may start it again. */
export const PID_FILE = 'pid';

/**
 * The process records itself before it becomes the program. We may be killed before we could record it, and an unknown server would
 * stay without end. If the folder has been removed, nothing starts.
 */
const RECORD_AND_RUN = `echo $$ > ${PID_FILE} && exec "$@"`;

/**
 * Starts a program in a session of its own, so that Ctrl-C in the terminal reaches only us, and we end it in order. @param
 * {readonly string[]} command
 * @param {{cwd: string, log: string, env?: NodeJS.ProcessEnv, gid?: number}} options log: a file, which gets its output; env: besides
 *   this process's own; gid: its group; default: ours
 */
export function runApart(command, { cwd, log, env, gid }) {
  const output = openSync(log, 'a', 0o600);
  try {
    const child = spawn('/bin/sh', ['-c', RECORD_AND_RUN, 'sh', ...command], {
      cwd,
      env: { ...environmentForPrograms(), ...env },
      detached: true,
      ...(gid !== undefined && { gid }),
      stdio: ['ignore', output, output],
    });
    child.unref();
    return child;
  } finally {
    closeSync(output);
  }
}

/** @param {number} pid of a process that was just verified @param {NodeJS.Signals} signal */
export function signalProcess(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended meanwhile.
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
