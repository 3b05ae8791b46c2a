/** Programs apart from this process, each with a session, a log and a working directory of its own, by which it is known to be ours. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { nullIf } from '../../errors.js';
import { environmentForPrograms } from '../../programs.js';
import { waitFor } from '../../wait.js';
import { problem } from '../texts.js';
import { hasEnded, isPaused, startTimeOf } from './processes.js';

/** @import { Action } from '../types.js' */

/** In its working directory. It is read each time, because another process may start it again. */
export const PID_FILE = 'pid';

/** The process records itself before it becomes the program: we may be killed before we could. Without its folder nothing starts. */
const RECORD_AND_RUN = `echo $$ > ${PID_FILE} && exec "$@"`;

/**
 * Ctrl-C in the terminal reaches only us, and we end it in order. @param {readonly string[]} command
 * @param {{cwd: string, log: string, env?: NodeJS.ProcessEnv, gid?: number}} options log: a file; env: besides this process's own
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
  nullIf(['ESRCH'], () => process.kill(pid, signal));
}

/** @type {Readonly<Partial<Record<Action, NodeJS.Signals>>>} */
const SIGNALS = { pause: 'SIGSTOP', resume: 'SIGCONT', stop: 'SIGTERM', kill: 'SIGKILL', 'power-loss': 'SIGKILL' };

/** On SIGTERM a primary waits up to 10 s for its replicas (shutdown-timeout). */
const STOP_MS = 12_000;
const EFFECT_MS = 30_000;
const POLL_MS = 5;

/**
 * Resolves when the signal has had its effect. @param {string} id of the node, for messages @param {number} pid @param {Action} action
 * @param {{force?: boolean}} [options] force: a process of ours that does not stop in time is killed
 */
export async function actOnProcess(id, pid, action, { force = false } = {}) {
  const signal = SIGNALS[action];
  if (!signal) throw new RangeError(`${action} is no action on a process`);
  const startTime = startTimeOf(pid);
  // A child that saves the data set writes to the disk, too. It is in the group of the node.
  if (action === 'power-loss') signalProcess(-pid, signal);
  signalProcess(pid, signal);
  // A paused process handles SIGTERM only after it is resumed.
  if (action === 'stop') signalProcess(pid, 'SIGCONT');
  const freezes = action === 'pause' || action === 'resume';
  const isDone = () => (freezes ? isPaused(pid) === (action === 'pause') : hasEnded(pid, startTime));
  if (force && action === 'stop' && !(await waitFor(isDone, { deadlineMs: STOP_MS, pollMs: POLL_MS })))
    signalProcess(pid, 'SIGKILL');
  if (await waitFor(isDone, { deadlineMs: EFFECT_MS, pollMs: POLL_MS })) return;
  throw problem('signal-without-effect', { id, signal, seconds: EFFECT_MS / 1000 });
}
