import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../../errors.js';
import { environmentForPrograms } from '../../../programs.js';
import { becomesTrue, hasEnded, isPaused, startTimeOf } from '../../processes.js';
import { foreignLine, redisConf, sentinelConf } from '../conf.js';
import { connectControl } from '../control.js';
import { sourceOf } from '../relay/relay.js';
import { confWord, settingLines } from '../start-settings.js';
import { FIRST_PRIMARY, NODES } from '../topology.js';
import { dataFolder, nodeFolder, PID_FILE, pidOf, recordPid, signalProcess } from './stack.js';

/**
 * @import { Action } from '../../types.js'
 * @import { Settings } from '../start-settings.js'
 * @import { StackRecord } from './stack.js'
 */

/**
 * Starting, stopping and disturbing one node of a local stack.
 */

export const LOOPBACK = '127.0.0.1';

const LOG = 'log';

/**
 * The process records itself before it becomes the server: this one may be killed before it can, and a server that nobody
 * knows of would stay for ever. In a folder that is gone already nothing starts.
 */
const RECORD_AND_RUN = `echo $$ > ${PID_FILE} && exec "$@"`;

const POLL_MS = 10;

/** For a busy machine: a process that has ended is noticed at once. */
const ANSWER_DEADLINE_MS = 20_000;

/** On SIGTERM a primary waits up to 10 s for its replicas to catch up (shutdown-timeout). */
const STOP_DEADLINE_MS = 12_000;

const KILL_DEADLINE_MS = 20_000;

/**
 * Writes a node's configuration: a file of its own, because a Sentinel has a node write down each change of its role.
 *
 * @param {StackRecord} stack
 * @param {string} id
 * @param {ReadonlyMap<string, number>} [relayed] id of a node → the port of the relay that its peers reach it at
 * @param {Settings} [settings] of Redis nodes, instead of those of the template
 */
export function writeConf(stack, id, relayed, settings) {
  const folder = nodeFolder(stack, id);
  const { kind } = topologyOf(id);
  /** @param {string} node */
  const announced = (node) => ({ host: LOOPBACK, port: relayed?.get(node) ?? portOf(stack, node) });
  const { port } = announced(id);
  const text =
    kind === 'sentinel'
      ? [
          sentinelConf(id, { dir: folder, announced }),
          // The template has one port for both; the last line counts.
          `port ${portOf(stack, id)}`,
          ...(relayed ? sourceLines(stack, id) : [`bind ${LOOPBACK}`]),
          '',
        ].join('\n')
      : [
          redisConf(),
          `port ${portOf(stack, id)}`,
          `dir ${confWord(dataFolder(stack, id))}`,
          ...(relayed
            ? [`replica-announce-ip ${LOOPBACK}`, `replica-announce-port ${port}`, ...sourceLines(stack, id)]
            : [`bind ${LOOPBACK}`]),
          ...(id === FIRST_PRIMARY ? [] : [`replicaof ${LOOPBACK} ${announced(FIRST_PRIMARY).port}`]),
          ...settingLines(settings),
          '',
        ].join('\n');
  writeFileSync(confFile(stack, id), text, { mode: 0o600 });
  writeFileSync(ownConfFile(stack, id), text, { mode: 0o600 });
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 * @throws {UserError} its configuration has a line that could harm us and is not ours
 */
function checkConf(stack, id) {
  const dir = topologyOf(id).kind === 'sentinel' ? nodeFolder(stack, id) : dataFolder(stack, id);
  // A version that kept no copy has started the stack; of what could harm the templates have the same.
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
 * @returns {string[]} settings by which a node dials from its own address, which tells the relay who it is
 */
function sourceLines({ server }, id) {
  const source = sourceOf(id);
  // Redis 6.2 dials from the first address it listens on.
  if (server.name === 'redis' && server.version.startsWith('6.')) return [`bind ${source} ${LOOPBACK}`];
  return [`bind ${LOOPBACK}`, `bind-source-addr ${source}`];
}

/**
 * Starts a node's process and records it. It has a session of its own, so that Ctrl-C in the terminal reaches only us, who
 * then take the stack down in order.
 *
 * @param {StackRecord} stack
 * @param {string} id
 * @param {string} program the stack's server program
 * @returns {Promise<void>} resolves when the process ends; rejects when it cannot be started
 */
export function spawnNode(stack, id, program) {
  const log = openSync(join(nodeFolder(stack, id), LOG), 'a', 0o600);
  try {
    const child = spawn(
      '/bin/sh',
      [
        '-c',
        RECORD_AND_RUN,
        'sh',
        program,
        confFile(stack, id),
        ...(topologyOf(id).kind === 'sentinel' ? ['--sentinel'] : []),
      ],
      {
        cwd: nodeFolder(stack, id),
        env: environmentForPrograms(),
        detached: true,
        stdio: ['ignore', log, log],
      },
    );
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
 * Waits until a node answers on its port, and is the process we started: somebody else's may have the port.
 *
 * @param {StackRecord} stack
 * @param {string} id
 * @param {AbortSignal} [signal]
 */
export async function waitAnswers(stack, id, signal) {
  const deadline = performance.now() + ANSWER_DEADLINE_MS;
  for (;;) {
    signal?.throwIfAborted();
    const pid = pidOf(stack, id);
    if (pid !== null && (await answeringPid(portOf(stack, id))) === pid) return;
    if (performance.now() >= deadline) {
      const tail = readLog(stack, id, 3).join(' / ');
      throw new Error(`${id} did not answer within ${ANSWER_DEADLINE_MS / 1000} s of its start: ${tail}`);
    }
    await delay(POLL_MS);
  }
}

/**
 * @param {number} port
 * @returns {Promise<number | null>} null: nobody answers there (yet)
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
 * @param {StackRecord} stack
 * @param {string} id
 * @param {Action} action
 */
export async function actOnNode(stack, id, action) {
  if (action === 'start') return startNode(stack, id);
  const pid = pidOf(stack, id);
  switch (action) {
    case 'pause':
      if (pid === null) throw new Error(`${id} does not run, so it cannot be paused`);
      signalProcess(pid, 'SIGSTOP');
      await reach(() => isPaused(pid), `${id} did not pause`);
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
  // A paused process sees SIGTERM only when it goes on.
  if (signal === 'SIGTERM') signalProcess(pid, 'SIGCONT');
  const gone = () => hasEnded(pid, startTime);
  if (signal === 'SIGTERM' && !(await becomesTrue(gone, STOP_DEADLINE_MS))) signalProcess(pid, 'SIGKILL');
  await reach(gone, `${id} (process ${pid}) did not end`);
}

/**
 * @param {() => boolean} condition
 * @param {string} complaint
 */
async function reach(condition, complaint) {
  if (!(await becomesTrue(condition, KILL_DEADLINE_MS))) {
    throw new Error(`${complaint} within ${KILL_DEADLINE_MS / 1000} s`);
  }
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 * @param {number} lines
 * @returns {string[]} the last ones; none when the node never wrote any, or its stack is gone
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
