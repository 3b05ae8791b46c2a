import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../errors.js';
import { waitFor } from '../../../wait.js';
import { LOOPBACK } from '../../address.js';
import { hostOf } from '../../local/addresses.js';
import { portOf, readLog, signalNode, spawnProgram } from '../../local/nodes.js';
import { dataFolder, nodeFolder, pidOf } from '../../local/record.js';
import { sourceOf } from '../../relay/relay.js';
import { confWord, foreignLine, redisConf, sentinelConf, settingLines } from '../conf.js';
import { connectControl } from '../control.js';
import { wordsBefore } from '../../local/hosts.js';
import { sentinelLines } from '../hosts/virtual-address.js';
import { FIRST_PRIMARY, kindOf } from '../topology.js';

/**
 * @import { Action, Address } from '../../types.js'
 * @import { Settings } from '../conf.js'
 * @import { StackRecord } from '../../local/record.js'
 */

/**
 * The actions on one node of a local stack, and its configuration.
 */

const POLL_MS = 5;

/** This is long, for a busy machine. The end of a process is noticed at once. */
const ANSWER_DEADLINE_MS = 20_000;

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
  const kind = kindOf(id);
  /** @param {string} node */
  const announced = (node) => ({ host: hostOf(record, node), port: relayed?.get(node) ?? portOf(record, node) });
  const { host, port } = announced(id);
  const bind = relayed === undefined && record.net === undefined ? [`bind ${LOOPBACK}`] : sourceLines(record, id);
  // A primary of a Redis Cluster follows no node.
  const follows = id !== FIRST_PRIMARY && settings?.['cluster-enabled'] !== 'yes';
  const text =
    kind === 'sentinel'
      ? [
          sentinelConf(id, { dir: folder, nodes: record.nodes.map((node) => node.id), announced }),
          // The template has the announced port; the last line counts.
          `port ${portOf(record, id)}`,
          ...bind,
          ...sentinelLines(record),
          '',
        ].join('\n')
      : [
          redisConf(),
          `port ${portOf(record, id)}`,
          `dir ${confWord(dataFolder(record, id))}`,
          ...(relayed ? [`replica-announce-ip ${host}`, `replica-announce-port ${port}`] : []),
          ...bind,
          ...(follows ? [`replicaof ${announced(FIRST_PRIMARY).host} ${announced(FIRST_PRIMARY).port}`] : []),
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
  const dir = kindOf(id) === 'sentinel' ? nodeFolder(record, id) : dataFolder(record, id);
  // An earlier version kept no copy. The template has the same lines of the dangerous kind.
  const ownText = existsSync(ownConfFile(record, id)) ? readFileSync(ownConfFile(record, id), 'utf8') : redisConf();
  const line = foreignLine(readFileSync(confFile(record, id), 'utf8'), { ownText: ownText, dir });
  if (line === null) return;
  throw new UserError(
    `${id} is not started again: somebody who can reach its port had this line written to its configuration: ${JSON.stringify(line)}.`,
    'Find out who has access to this machine, and take the stack down with `sentinel-bench down`.',
  );
}

/**
 * @param {StackRecord} record
 * @param {string} id
 * @returns {string[]} settings that make a node dial from its own address, by which the relay or the packet filter knows it
 */
function sourceLines(record, id) {
  const { server, net } = record;
  const host = hostOf(record, id);
  const source = net === undefined ? sourceOf(id) : host;
  // At every address of its host, the virtual one included.
  if (record.virtual && kindOf(id) === 'redis') return ['bind 0.0.0.0', `bind-source-addr ${host}`];
  // Redis 6.2 dials from the first address it listens on.
  if (server.name === 'redis' && server.version.startsWith('6.'))
    return [`bind ${[...new Set([source, host])].join(' ')}`];
  return [`bind ${host}`, `bind-source-addr ${source}`];
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
  const sentinel = kindOf(id) === 'sentinel' ? ['--sentinel'] : [];
  return spawnProgram(record, id, [...wordsBefore(record, id), program, confFile(record, id), ...sentinel]);
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
    return pid !== null && (await answeringPid({ host: hostOf(record, id), port: portOf(record, id) })) === pid;
  };
  if (await waitFor(answers, { deadlineMs: ANSWER_DEADLINE_MS, pollMs: POLL_MS, signal })) return;
  const tail = readLog(record, id, 3).join(' / ');
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
 * @param {StackRecord} record
 * @param {string} id
 * @param {Action} action
 * @param {() => Promise<string>} program of the server
 */
export async function actOnNode(record, id, action, program) {
  return action === 'start' ? startNode(record, id, program) : signalNode(record, id, action);
}

/**
 * @param {StackRecord} record
 * @param {string} id
 * @param {() => Promise<string>} findProgram
 */
async function startNode(record, id, findProgram) {
  if (pidOf(record, id) !== null) return;
  const program = await findProgram();
  checkConf(record, id);
  const failure = new AbortController();
  spawnNode(record, id, program).then(
    () => failure.abort(new Error(`${id} ended right after its start: ${readLog(record, id, 3).join(' / ')}`)),
    (error) => failure.abort(error),
  );
  await waitAnswers(record, id, failure.signal);
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
