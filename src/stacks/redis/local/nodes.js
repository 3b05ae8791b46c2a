import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../errors.js';
import { environmentForPrograms } from '../../../programs.js';
import { waitFor } from '../../../wait.js';
import { hasEnded, isPaused, startTimeOf } from '../../processes.js';
import { confWord, foreignLine, redisConf, sentinelConf, settingLines } from '../conf.js';
import { connectControl } from '../control.js';
import { sourceOf } from '../relay/relay.js';
import { FIRST_PRIMARY, NODES } from '../topology.js';
import { hostOf, LOOPBACK } from './addresses.js';
import { dataFolder, nodeFolder, PID_FILE, pidOf, recordPid, signalProcess } from './record.js';

/**
 * @import { Action, Address } from '../../types.js'
 * @import { Settings } from '../conf.js'
 * @import { StackRecord } from './record.js'
 */

/**
 * The actions on one node of a local stack, and its configuration.
 */

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
 * @param {StackRecord} stack
 * @param {string} id
 * @param {ReadonlyMap<string, number>} [relayed] id of a node → the port of the relay at which its peers reach it
 * @param {Settings} [settings] for Redis nodes, instead of those of the template
 */
export function writeConf(stack, id, relayed, settings) {
  const folder = nodeFolder(stack, id);
  const { kind } = topologyOf(id);
  /** @param {string} node */
  const announced = (node) => ({ host: hostOf(stack, node), port: relayed?.get(node) ?? portOf(stack, node) });
  const { host, port } = announced(id);
  const bind = relayed === undefined && stack.net === undefined ? [`bind ${LOOPBACK}`] : sourceLines(stack, id);
  // A node of a Redis Cluster follows nobody.
  const follows = id !== FIRST_PRIMARY && settings?.['cluster-enabled'] !== 'yes';
  const text =
    kind === 'sentinel'
      ? [
          sentinelConf(id, { dir: folder, announced }),
          // The template has the announced port; the last line counts.
          `port ${portOf(stack, id)}`,
          ...bind,
          '',
        ].join('\n')
      : [
          redisConf(),
          `port ${portOf(stack, id)}`,
          `dir ${confWord(dataFolder(stack, id))}`,
          ...(relayed ? [`replica-announce-ip ${host}`, `replica-announce-port ${port}`] : []),
          ...bind,
          ...(follows ? [`replicaof ${announced(FIRST_PRIMARY).host} ${announced(FIRST_PRIMARY).port}`] : []),
          ...settingLines(settings),
          '',
        ].join('\n');
  writeFileSync(confFile(stack, id), text, { mode: 0o600 });
  writeFileSync(ownConfFile(stack, id), text, { mode: 0o600 });
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 * @throws {UserError} its configuration has a line that could do harm and is not ours
 */
function checkConf(stack, id) {
  const dir = topologyOf(id).kind === 'sentinel' ? nodeFolder(stack, id) : dataFolder(stack, id);
  // An earlier version kept no copy. The template has the same lines of the dangerous kind.
  const own = existsSync(ownConfFile(stack, id)) ? readFileSync(ownConfFile(stack, id), 'utf8') : redisConf();
  const line = foreignLine(readFileSync(confFile(stack, id), 'utf8'), { own, dir });
  if (line === null) return;
  throw new UserError(
    `${id} is not started again: somebody who can reach its port had this line written to its configuration: ${JSON.stringify(line)}.`,
    'Find out who has access to this machine, and take the stack down with `sentinel-bench down`.',
  );
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 * @returns {string[]} settings that make a node dial from its own address, by which the relay or the packet filter knows it
 */
function sourceLines(stack, id) {
  const { server, net } = stack;
  const host = hostOf(stack, id);
  const source = net === undefined ? sourceOf(id) : host;
  // Redis 6.2 dials from the first address it listens on.
  if (server.name === 'redis' && server.version.startsWith('6.'))
    return [`bind ${[...new Set([source, host])].join(' ')}`];
  return [`bind ${host}`, `bind-source-addr ${source}`];
}

/**
 * Starts a node's process and records it. It has its own session, so that Ctrl-C in the terminal reaches only us, and we take the
 * stack down in order.
 *
 * @param {StackRecord} stack
 * @param {string} id
 * @param {string} program the stack's server program
 * @returns {Promise<void>} resolves when the process ends; rejects when it cannot be started
 */
export function spawnNode(stack, id, program) {
  const sentinel = topologyOf(id).kind === 'sentinel' ? ['--sentinel'] : [];
  return spawnProgram(stack, id, [program, confFile(stack, id), ...sentinel]);
}

/**
 * The same for a server of any system.
 *
 * @param {StackRecord} stack
 * @param {string} id
 * @param {string[]} command the program and its arguments
 * @returns {Promise<void>} resolves when the process ends; rejects when it cannot be started
 */
export function spawnProgram(stack, id, command) {
  const log = openSync(join(nodeFolder(stack, id), LOG), 'a', 0o600);
  try {
    const child = spawn('/bin/sh', ['-c', RECORD_AND_RUN, 'sh', ...command], {
      cwd: nodeFolder(stack, id),
      env: environmentForPrograms(),
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.unref();
    if (child.pid !== undefined) recordPid(stack, id, child.pid);
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
 * @param {StackRecord} stack
 * @param {string} id
 * @param {AbortSignal} [signal]
 */
export async function waitAnswers(stack, id, signal) {
  const answers = async () => {
    const pid = pidOf(stack, id);
    return pid !== null && (await answeringPid({ host: hostOf(stack, id), port: portOf(stack, id) })) === pid;
  };
  if (await waitFor(answers, { deadlineMs: ANSWER_DEADLINE_MS, pollMs: POLL_MS, signal })) return;
  const tail = readLog(stack, id, 3).join(' / ');
  throw new Error(`${id} did not answer within ${ANSWER_DEADLINE_MS / 1000} s of its start: ${tail}`);
}

/**
 * @param {Address} address
 * @returns {Promise<number | null>} null: no answer (yet)
 */
async function answeringPid(address) {
  try {
    const control = await connectControl(address);
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
 * @param {StackRecord} stack
 * @param {string} id
 * @param {Action} action
 */
export async function actOnNode(stack, id, action) {
  return action === 'start' ? startNode(stack, id) : signalNode(stack, id, action);
}

/**
 * The actions that are signals; a node of any system takes them.
 *
 * @param {StackRecord} stack
 * @param {string} id
 * @param {Action} action
 */
export async function signalNode(stack, id, action) {
  const pid = pidOf(stack, id);
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
 * @param {StackRecord} stack
 * @param {string} id
 */
async function startNode(stack, id) {
  if (pidOf(stack, id) !== null) return;
  const program = await stack.program();
  checkConf(stack, id);
  const failure = new AbortController();
  spawnNode(stack, id, program).then(
    () => failure.abort(new Error(`${id} ended right after its start: ${readLog(stack, id, 3).join(' / ')}`)),
    (error) => failure.abort(error),
  );
  await waitAnswers(stack, id, failure.signal);
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
 * @param {StackRecord} stack
 * @param {string} id
 * @param {number} lines
 * @returns {string[]} the last ones; empty if the node never wrote any, or its stack was removed
 */
export function readLog(stack, id, lines) {
  try {
    return readFileSync(join(nodeFolder(stack, id), LOG), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(-lines);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 */
export function portOf(stack, id) {
  const node = stack.nodes.find((each) => each.id === id);
  if (!node) throw new RangeError(`no node is called ${id}`);
  return node.port;
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 */
function confFile(stack, id) {
  return join(nodeFolder(stack, id), 'node.conf');
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 */
function ownConfFile(stack, id) {
  return join(nodeFolder(stack, id), 'own.conf');
}

/** @param {string} id */
function topologyOf(id) {
  const node = NODES.find((each) => each.id === id);
  if (!node) throw new RangeError(`no node is called ${id}`);
  return node;
}
