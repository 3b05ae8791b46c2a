import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../errors.js';
import { environmentForPrograms } from '../../../programs.js';
import { waitFor } from '../../../wait.js';
import { dataFolder, nodeFolder, PID_FILE, pidOf, recordPid, signalProcess } from '../../local/record.js';
import { hasEnded, isPaused, startTimeOf } from '../../processes.js';
import { sourceOf } from '../../relay/relay.js';
import { confWord, foreignLine, redisConf, sentinelConf, settingLines } from '../conf.js';
import { connectControl } from '../control.js';
import { FIRST_PRIMARY, NODES } from '../topology.js';

/**
 * @import { Action } from '../../types.js'
 * @import { Settings } from '../conf.js'
 * @import { StackRecord } from '../../local/record.js'
 */

/**
 * The actions on one node of a local stack, and its configuration.
 */

export const LOOPBACK = '127.0.0.1';

const LOG = 'log';

/**
 * The process records itself before it becomes the server. We may be killed before we could record it, and an unknown server would
 * stay without end. If the folder has been removed, nothing starts.
 */
const RECORD_AND_RUN = `echo $$ > ${PID_FILE} && exec "$@"`;

const POLL_MS = 5;

/** For a busy machine. The end of a process is noticed at once. */
const ANSWER_DEADLINE_MS = 20_000;

/** On SIGTERM a primary waits up to 10 s for its replicas (shutdown-timeout). */
const STOP_DEADLINE_MS = 12_000;

const KILL_DEADLINE_MS = 20_000;

/**
 * Writes a node's configuration. Each node has its own file, because Sentinels make a node write down each change of its role.
 *
 * @param {StackRecord} record
 * @param {string} id
 * @param {ReadonlyMap<string, number>} [relayed] id of a node → the port of the relay at which its peers reach it
 * @param {Settings} [settings] for Redis nodes, instead of those of the template
 */
export function writeConf(record, id, relayed, settings) {
  const folder = nodeFolder(record, id);
  const { kind } = topologyOf(id);
  /** @param {string} node */
  const announced = (node) => ({ host: LOOPBACK, port: relayed?.get(node) ?? portOf(record, node) });
  const { port } = announced(id);
  // A node of a Redis Cluster follows nobody.
  const follows = id !== FIRST_PRIMARY && settings?.['cluster-enabled'] !== 'yes';
  const text =
    kind === 'sentinel'
      ? [
          sentinelConf(id, { dir: folder, announced }),
          // The template has the announced port; the last line counts.
          `port ${portOf(record, id)}`,
          ...(relayed ? sourceLines(record, id) : [`bind ${LOOPBACK}`]),
          '',
        ].join('\n')
      : [
          redisConf(),
          `port ${portOf(record, id)}`,
          `dir ${confWord(dataFolder(record, id))}`,
          ...(relayed
            ? [`replica-announce-ip ${LOOPBACK}`, `replica-announce-port ${port}`, ...sourceLines(record, id)]
            : [`bind ${LOOPBACK}`]),
          ...(follows ? [`replicaof ${LOOPBACK} ${announced(FIRST_PRIMARY).port}`] : []),
          ...settingLines(settings),
          '',
        ].join('\n');
  writeFileSync(confFile(record, id), text, { mode: 0o600 });
  writeFileSync(ownConfFile(record, id), text, { mode: 0o600 });
}

/**
 * @param {StackRecord} record
 * @param {string} id
 * @throws {UserError} its configuration has a line that could do harm and is not ours
 */
function checkConf(record, id) {
  const dir = topologyOf(id).kind === 'sentinel' ? nodeFolder(record, id) : dataFolder(record, id);
  // An earlier version kept no copy. The template has the same lines of the dangerous kind.
  const own = existsSync(ownConfFile(record, id)) ? readFileSync(ownConfFile(record, id), 'utf8') : redisConf();
  const line = foreignLine(readFileSync(confFile(record, id), 'utf8'), { own, dir });
  if (line === null) return;
  throw new UserError(
    `${id} is not started again: somebody who can reach its port had this line written to its configuration: ${JSON.stringify(line)}.`,
    'Find out who has access to this machine, and take the stack down with `sentinel-bench down`.',
  );
}

/**
 * @param {StackRecord} record
 * @param {string} id
 * @returns {string[]} settings that make a node dial from its own address, by which the relay knows it
 */
function sourceLines({ server }, id) {
  const source = sourceOf(id);
  // Redis 6.2 dials from the first address it listens on.
  if (server.name === 'redis' && server.version.startsWith('6.')) return [`bind ${source} ${LOOPBACK}`];
  return [`bind ${LOOPBACK}`, `bind-source-addr ${source}`];
}

/**
 * Starts a node's process and records it. It has its own session, so that Ctrl-C in the terminal reaches only us, and we take the
 * stack down in order.
 *
 * @param {StackRecord} record
 * @param {string} id
 * @param {string} program the stack's server program
 * @returns {Promise<void>} resolves when the process ends; rejects when it cannot be started
 */
export function spawnNode(record, id, program) {
  const sentinel = topologyOf(id).kind === 'sentinel' ? ['--sentinel'] : [];
  return spawnProgram(record, id, [program, confFile(record, id), ...sentinel]);
}

/**
 * The same for a server of any system.
 *
 * @param {StackRecord} record
 * @param {string} id
 * @param {string[]} command the program and its arguments
 * @returns {Promise<void>} resolves when the process ends; rejects when it cannot be started
 */
export function spawnProgram(record, id, command) {
  const log = openSync(join(nodeFolder(record, id), LOG), 'a', 0o600);
  try {
    const child = spawn('/bin/sh', ['-c', RECORD_AND_RUN, 'sh', ...command], {
      cwd: nodeFolder(record, id),
      env: environmentForPrograms(),
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.unref();
    if (child.pid !== undefined) recordPid(record, id, child.pid);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => resolve());
    });
  } finally {
    closeSync(log);
  }
}

/**
 * Waits until a node answers on its port and is the process that we started: another server may have the port.
 *
 * @param {StackRecord} record
 * @param {string} id
 * @param {AbortSignal} [signal]
 */
export async function waitAnswers(record, id, signal) {
  const answers = async () => {
    const pid = pidOf(record, id);
    return pid !== null && (await answeringPid(portOf(record, id))) === pid;
  };
  if (await waitFor(answers, { deadlineMs: ANSWER_DEADLINE_MS, pollMs: POLL_MS, signal })) return;
  const tail = readLog(record, id, 3).join(' / ');
  throw new Error(`${id} did not answer within ${ANSWER_DEADLINE_MS / 1000} s of its start: ${tail}`);
}

/**
 * @param {number} port
 * @returns {Promise<number | null>} null: no answer (yet)
 */
async function answeringPid(port) {
  try {
    const control = await connectControl({ host: LOOPBACK, port });
    try {
      return Number((await control.info('server')).process_id);
    } finally {
      control.close();
    }
  } catch {
    // Not yet: the caller asks again until its deadline.
    return null;
  }
}

/**
 * @param {StackRecord} record
 * @param {string} id
 * @param {Action} action
 */
export async function actOnNode(record, id, action) {
  return action === 'start' ? startNode(record, id) : signalNode(record, id, action);
}

/**
 * The actions that are signals; a node of any system takes them.
 *
 * @param {StackRecord} record
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

/**
 * @param {StackRecord} record
 * @param {string} id
 */
async function startNode(record, id) {
  if (pidOf(record, id) !== null) return;
  const program = await record.program();
  checkConf(record, id);
  const failure = new AbortController();
  spawnNode(record, id, program).then(
    () => failure.abort(new Error(`${id} ended right after its start: ${readLog(record, id, 3).join(' / ')}`)),
    (error) => failure.abort(error),
  );
  await waitAnswers(record, id, failure.signal);
}

/**
 * @param {string} id
 * @param {number} pid
 * @param {'SIGTERM' | 'SIGKILL'} signal
 */
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

/**
 * @param {() => boolean} condition
 * @param {string} complaint
 */
async function waitOrThrow(condition, complaint) {
  if (await waitFor(condition, { deadlineMs: KILL_DEADLINE_MS, pollMs: POLL_MS })) return;
  throw new Error(`${complaint} within ${KILL_DEADLINE_MS / 1000} s`);
}

/**
 * @param {StackRecord} record
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
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * @param {StackRecord} record
 * @param {string} id
 */
export function portOf(record, id) {
  const node = record.nodes.find((each) => each.id === id);
  if (!node) throw new RangeError(`no node is called ${id}`);
  return node.port;
}

/**
 * @param {StackRecord} record
 * @param {string} id
 */
function confFile(record, id) {
  return join(nodeFolder(record, id), 'node.conf');
}

/**
 * @param {StackRecord} record
 * @param {string} id
 */
function ownConfFile(record, id) {
  return join(nodeFolder(record, id), 'own.conf');
}

/** @param {string} id */
function topologyOf(id) {
  const node = NODES.find((each) => each.id === id);
  if (!node) throw new RangeError(`no node is called ${id}`);
  return node;
}
