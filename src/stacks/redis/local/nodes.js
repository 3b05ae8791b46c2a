import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOOPBACK } from '../../address.js';
import { askOnce } from '../../ask.js';
import { hostOf } from '../../local/addresses.js';
import { wordsBefore } from '../../local/hosts.js';
import { portOf, startProgram } from '../../local/nodes.js';
import { dataFolder, nodeFolder, pidOf } from '../../local/record.js';
import { sourceOf } from '../../relay/relay.js';
import { problem } from '../../texts.js';
import { foreignLine, nodeConf, settingLines } from '../conf.js';
import { connectControl } from '../control.js';
import { sentinelLines } from '../hosts/virtual-address.js';
import { FIRST_PRIMARY, kindOf } from '../topology.js';

/**
 * @import { Settings } from '../conf.js'
 * @import { StackRecord } from '../../local/record.js'
 */

/** The processes of one node of a local stack, and its configuration. */

/** This is long, for a busy machine. The end of a process is noticed at once. */
const ANSWER_DEADLINE_MS = 20_000;

/**
 * Writes a node's configuration. Each node has its own file, because Sentinels make a node write down each change of its role.
 * @param {StackRecord} record
 * @param {string} id
 * @param {ReadonlyMap<string, number>} [relayed] id of a node → the port of the relay at which its peers reach it
 * @param {Settings} [settings] for Redis nodes, instead of those of the template
 */
export function writeConf(record, id, relayed, settings) {
  /** @param {string} node */
  const announced = (node) => ({ host: hostOf(record, node), port: relayed?.get(node) ?? portOf(record, node) });
  const { host, port } = announced(id);
  const bind = relayed === undefined && record.net === undefined ? [`bind ${LOOPBACK}`] : sourceLines(record, id);
  const text = nodeConf(id, {
    dir: kindOf(id) === 'sentinel' ? nodeFolder(record, id) : dataFolder(record, id),
    port: portOf(record, id),
    nodes: record.nodes.map((node) => node.id),
    announced,
    // A primary of a Redis Cluster follows no node.
    follows: id !== FIRST_PRIMARY && settings?.['cluster-enabled'] !== 'yes',
    ofSentinel: [...bind, ...sentinelLines(record)],
    ofRedis: [
      ...(relayed ? [`replica-announce-ip ${host}`, `replica-announce-port ${port}`] : []),
      ...bind,
      ...settingLines(settings),
    ],
  });
  writeFileSync(confFile(record, id), text, { mode: 0o600 });
  writeFileSync(ownConfFile(record, id), text, { mode: 0o600 });
}

/** @param {StackRecord} record @param {string} id */
function checkConf(record, id) {
  const dir = kindOf(id) === 'sentinel' ? nodeFolder(record, id) : dataFolder(record, id);
  const ownText = readFileSync(ownConfFile(record, id), 'utf8');
  const line = foreignLine(readFileSync(confFile(record, id), 'utf8'), { ownText, dir });
  if (line === null) return;
  throw problem('foreign-line', { id, line: JSON.stringify(line) });
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
 * @param {StackRecord} record
 * @param {string} id
 * @param {string} program the stack's server program
 * @returns how the node is started. It is up when it answers on its port and is the process that we started: another server may have the port
 */
export function startOf(record, id, program) {
  const sentinel = kindOf(id) === 'sentinel' ? ['--sentinel'] : [];
  const address = { host: hostOf(record, id), port: portOf(record, id) };
  return {
    command: [...wordsBefore(record, id), program, confFile(record, id), ...sentinel],
    deadlineMs: ANSWER_DEADLINE_MS,
    async isUp() {
      const asked = askOnce(connectControl(address), (control) => control.info('server'));
      const answering = await asked.then(({ process_id: pid }) => Number(pid)).catch(() => null);
      return answering !== null && answering === pidOf(record, id);
    },
  };
}

/**
 * Starts a node again, if nobody else wrote to its configuration.
 * @param {StackRecord} record
 * @param {string} id of a node that does not run
 * @param {string} program
 */
export async function startAgain(record, id, program) {
  checkConf(record, id);
  await startProgram(record, id, startOf(record, id, program));
}

/** @param {StackRecord} record @param {string} id */
function confFile(record, id) {
  return join(nodeFolder(record, id), 'node.conf');
}

/** @param {StackRecord} record @param {string} id */
function ownConfFile(record, id) {
  return join(nodeFolder(record, id), 'own.conf');
}
