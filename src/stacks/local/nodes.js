/** The processes of a local stack's nodes: their start, the actions that are signals, and their logs. The same for every system. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../errors.js';
import { waitFor } from '../../wait.js';
import { nodeOf } from '../ask.js';
import { runApart, signalProcess } from '../daemons.js';
import { hasEnded, isPaused, startTimeOf } from '../processes.js';
import { nodeFolder, pidOf, recordPid } from './record.js';

/**
 * @import { Action } from '../types.js'
 * @import { FilePlaces, StackRecord } from './record.js'
 *
 * @typedef {Object} ProgramStart
 * @property {string[]} command the program and its arguments
 * @property {number} [gid] group of the process; default: ours
 * @property {() => boolean | Promise<boolean>} isUp the node answers, and is the process that was started
 * @property {number} deadlineMs for that
 * @property {AbortSignal} [signal]
 */

const LOG = 'log';

const POLL_MS = 5;
const LOG_LINES = 4;

/** On SIGTERM a primary waits up to 10 s for its replicas (shutdown-timeout). */
const STOP_DEADLINE_MS = 12_000;

const KILL_DEADLINE_MS = 20_000;

/**
 * Starts a node's process, and waits until it answers.
 * @param {FilePlaces} record
 * @param {string} id of a node that does not run
 * @param {ProgramStart} start
 * @throws {Error} it ended, or did not answer in time; with its last log lines
 */
export async function startProgram(record, id, { command, gid, isUp, deadlineMs, signal }) {
  const cwd = nodeFolder(record, id);
  const failure = new AbortController();
  const child = runApart(command, { cwd, log: join(cwd, LOG), gid });
  if (child.pid !== undefined) recordPid(record, id, child.pid);
  child.once('error', (error) => failure.abort(error));
  child.once('exit', () => {
    failure.abort(new Error(`${id} ended right after its start: ${lastWords(record, id)}`));
  });
  const either = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  if (await waitFor(isUp, { deadlineMs, pollMs: POLL_MS, signal: either })) return;
  throw new Error(`${id} did not answer within ${deadlineMs / 1000} s of its start: ${lastWords(record, id)}`);
}

/** @param {FilePlaces} record @param {string} id */
function lastWords(record, id) {
  return readLog(record, id, LOG_LINES).join(' / ');
}

/**
 * The actions that are signals; a node of any system takes them.
 * @param {FilePlaces} record
 * @param {string} id
 * @param {Action} action
 */
export async function signalNode(record, id, action) {
  const pid = pidOf(record, id);
  switch (action) {
    case 'pause':
      if (pid === null) throw new Error(`${id} does not run, so it cannot be paused`);
      signalProcess(pid, 'SIGSTOP');
      await waitOrThrow(() => isPaused(pid), `${id} did not pause`);
      return;
    case 'resume':
      if (pid !== null) signalProcess(pid, 'SIGCONT');
      return;
    case 'stop':
      if (pid !== null) await endProcess(id, pid, 'SIGTERM');
      return;
    case 'kill':
      if (pid !== null) await endProcess(id, pid, 'SIGKILL');
      return;
    case 'power-loss':
      if (pid === null) return;
      // A child that saves the data set writes to the disk, too. It is in the group of the node.
      signalProcess(-pid, 'SIGKILL');
      await endProcess(id, pid, 'SIGKILL');
      return;
    default:
      throw new RangeError(`the local backend has no action ${action}`);
  }
}

/** @param {string} id @param {number} pid @param {'SIGTERM' | 'SIGKILL'} signal */
async function endProcess(id, pid, signal) {
  const startTime = startTimeOf(pid);
  signalProcess(pid, signal);
  // A paused process handles SIGTERM only after it is resumed.
  if (signal === 'SIGTERM') signalProcess(pid, 'SIGCONT');
  const isGone = () => hasEnded(pid, startTime);
  if (signal === 'SIGTERM' && !(await waitFor(isGone, { deadlineMs: STOP_DEADLINE_MS, pollMs: POLL_MS }))) {
    signalProcess(pid, 'SIGKILL');
  }
  await waitOrThrow(isGone, `${id} (process ${pid}) did not end`);
}

/** @param {() => boolean} condition @param {string} complaint */
async function waitOrThrow(condition, complaint) {
  if (await waitFor(condition, { deadlineMs: KILL_DEADLINE_MS, pollMs: POLL_MS })) return;
  throw new Error(`${complaint} within ${KILL_DEADLINE_MS / 1000} s`);
}

/**
 * @param {FilePlaces} record
 * @param {string} id
 * @param {number} lines
 * @returns {string[]} the last ones; empty if the node never wrote any, or its stack was removed
 */
export function readLog(record, id, lines) {
  try {
    return readFileSync(join(nodeFolder(record, id), LOG), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(-lines);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** @param {Pick<StackRecord, 'nodes'>} record @param {string} id */
export function portOf(record, id) {
  return nodeOf(record, id).port;
}
