/**
 * Hosts made of network namespaces, with an agent on each and NATS on the first: several machines on one, for trying and for tests. They stay
 * until they are taken down.
 *
 * Their folder holds a record, which is on disk before the first namespace is made. Each process works in a folder of its own there and
 * records itself, so that a process is known to be ours before it is ended.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { programPath } from '../programs.js';
import { runApart } from '../stacks/daemons.js';
import { freeHostNet, OWN_NET } from '../stacks/local/addresses.js';
import { endNodes, pidOf } from '../stacks/local/record.js';
import { commandIn, makeHosts, removeHosts, whyNoNamespaces } from '../stacks/network/namespaces.js';
import { ownFolders } from '../stacks/own-folders.js';
import { answers } from '../stacks/probe.js';
import { stillRuns, thisProcess } from '../stacks/processes.js';
import { NATS_PASSWORD_VARIABLE } from '../untrusted.js';
import { waitFor } from '../wait.js';
import { connectNats } from './connection.js';
import { discoverAgents } from './controller.js';
import { inboxOf, subjects } from './protocol.js';
import { newPassword, recordsIn } from './records.js';
import { refusal } from './refusals.js';

/**
 * @import { NatsOptions } from './connection.js'
 *
 * @typedef {Object} Machines
 * @property {string} identity of their switch
 * @property {readonly string[]} names of the agents
 * @property {NatsOptions} nats for a controller
 *
 */

/** More would share one bridge and a few cores, and show nothing new. */
export const MOST_MACHINES = 100;

const RECORD = 'machines.json';
const LOG = 'log';
const NATS = 'nats';
const NATS_PORT = 4222;
/** The address of this machine on the switch. */
const HARNESS = 254;
/** An agent starts in half a second; a hundred of them share the cores. */
const READY_MS = 120_000;
const machineFolders = ownFolders('sentinel-bench-agents');

const RecordSchema = z.object({
  owner: z.object({ pid: z.int().positive(), startTime: z.string().nullable() }),
  ready: z.boolean(),
  net: z.string().regex(OWN_NET),
  names: z.array(z.string().regex(/^host-\d{1,3}$/)).max(MOST_MACHINES),
  password: z.string(),
});

const records = recordsIn(machineFolders, RECORD, RecordSchema);

/** @typedef {z.infer<typeof RecordSchema> & {folder: string}} MachinesRecord */

/**
 * @param {Object} options
 * @param {number} options.count 1 to {@link MOST_MACHINES}
 * @param {readonly string[]} options.agent words of the command that starts an agent, without its own options
 * @param {AbortSignal} options.signal
 * @param {(line: string) => void} options.tell
 * @returns {Promise<Machines>} all agents answer; everything is gone when it rejects
 * @throws {UserError} exit status 3: this machine cannot make them, or they are up already
 */
export async function bringUpMachines({ count, agent, signal, tell }) {
  await checkPossible();
  await recoverMachines(tell);
  if (records.list().length > 0) {
    throw refusal('up-already');
  }
  const record = createRecord(count);
  try {
    await start(record, agent, signal);
    records.save({ ...record, ready: true });
    return machinesOf(record);
  } catch (error) {
    await removeMachines(record);
    throw error;
  }
}

/** @returns {Machines | null} those that are up here; null: none */
export function findMachines() {
  const record = records.list().findLast(({ ready }) => ready);
  return record ? machinesOf(record) : null;
}

/** @returns {Promise<number>} how many machines were taken down */
export async function takeDownMachines() {
  const all = records.list();
  for (const record of all) await removeMachines(record);
  return all.reduce((sum, { names }) => sum + names.length, 0);
}

/** Removes what a killed `agents up` left, and machines whose processes have all ended. @param {(line: string) => void} tell */
export async function recoverMachines(tell) {
  for (const record of records.list()) {
    if (stillRuns(record.owner) || (record.ready && isRunning(record))) continue;
    await removeMachines(record);
    tell(`Removed ${record.names.length} namespaces of agents that were left.`);
  }
  for (const folder of machineFolders.abandoned((each) => records.read(each) !== null)) machineFolders.remove(folder);
}

async function checkPossible() {
  const why =
    (await whyNoNamespaces()) ??
    (programPath('nats-server') === null ? 'there is no nats-server on PATH, so install nats-server' : null);
  if (why === null) return;
  throw refusal('no-namespaces', { why: `${why.charAt(0).toUpperCase()}${why.slice(1)}` });
}

/** @param {MachinesRecord} record @param {readonly string[]} agent @param {AbortSignal} signal */
async function start(record, agent, signal) {
  const { net, names, folder } = record;
  await makeHosts({
    identity: basename(folder),
    hosts: names.map((_, index) => [addressOf(net, index)]),
    harness: [`${net}.${HARNESS}`],
  });
  signal.throwIfAborted();
  const passwords = new Map(names.map((name) => [name, newPassword()]));
  const configuration = join(folder, NATS, 'nats.json');
  writeFileSync(configuration, natsConfiguration(record, passwords), { mode: 0o600 });
  run(record, NATS, 0, [programPath('nats-server') ?? 'nats-server', '-c', configuration], {});
  const { nats } = machinesOf(record);
  await until(() => answers(() => connectNats(nats, { reconnect: false })), record, NATS, signal);
  for (const [index, name] of names.entries()) {
    run(record, name, index, [...agent, '--name', name, '--nats-user', name], {
      SENTINEL_BENCH_NATS: nats.url,
      [NATS_PASSWORD_VARIABLE]: passwords.get(name),
    });
  }
  const connection = await connectNats(nats, { reconnect: false });
  try {
    for (const name of names) {
      const isThere = async () => (await discoverAgents(connection, [name])).some((found) => found.name === name);
      await until(isThere, record, name, signal);
    }
  } finally {
    await connection.close();
  }
}

/**
 * @param {() => Promise<boolean>} condition
 * @param {MachinesRecord} record
 * @param {string} name of the process
 * @param {AbortSignal} signal
 */
async function until(condition, record, name, signal) {
  if (await waitFor(condition, { deadlineMs: READY_MS, pollMs: 100, signal })) return;
  const log = readFileSync(join(record.folder, name, LOG), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-8)
    .join('\n');
  throw refusal('part-silent', { part: name }, { detail: log });
}

/**
 * @param {MachinesRecord} record
 * @param {string} name of the process
 * @param {number} host
 * @param {readonly string[]} command
 * @param {NodeJS.ProcessEnv} env
 */
function run({ folder }, name, host, command, env) {
  const cwd = join(folder, name);
  const child = runApart([...commandIn(basename(folder), host), ...command], { cwd, log: join(cwd, LOG), env });
  child.once('error', () => {});
}

/**
 * Each agent may serve under its own name only, as in deploy/nats. JSON is a NATS configuration.
 *
 * @param {Pick<MachinesRecord, 'net' | 'password'>} record
 * @param {ReadonlyMap<string, string>} agents their passwords
 */
function natsConfiguration({ net, password }, agents) {
  const controller = {
    user: 'controller',
    password,
    permissions: {
      publish: [subjects.discover, subjects.request('*', '*'), subjects.controller('*')],
      subscribe: [subjects.heartbeat('*'), '_INBOX.>'],
    },
  };
  const users = [...agents].map(([name, agentPassword]) => ({
    user: name,
    password: agentPassword,
    permissions: {
      publish: [subjects.heartbeat(name)],
      subscribe: [subjects.discover, subjects.request(name, '*'), subjects.controller('*'), `${inboxOf(name)}.>`],
      allow_responses: { max: 1, expires: '26h' },
    },
  }));
  return JSON.stringify({
    listen: `${addressOf(net, 0)}:${NATS_PORT}`,
    authorization: { users: [controller, ...users] },
  });
}

/** @param {MachinesRecord} record */
async function removeMachines(record) {
  await endNodes(record, [NATS, ...record.names]);
  await removeHosts(basename(record.folder), record.names.length);
  machineFolders.remove(record.folder);
}

/** @param {MachinesRecord} record */
function isRunning(record) {
  return [NATS, ...record.names].some((name) => pidOf(record, name) !== null);
}

/** @param {number} count @returns {MachinesRecord} on disk, with a folder for each process */
function createRecord(count) {
  const record = {
    folder: machineFolders.make(),
    owner: thisProcess(),
    ready: false,
    net: freeHostNet(new Set()),
    names: Array.from({ length: count }, (_, index) => `host-${index + 1}`),
    password: newPassword(),
  };
  records.save(record);
  for (const name of [NATS, ...record.names]) mkdirSync(join(record.folder, name), { mode: 0o700 });
  return record;
}

/** @param {MachinesRecord} record @returns {Machines} */
function machinesOf({ folder, net, names, password }) {
  const url = `nats://${addressOf(net, 0)}:${NATS_PORT}`;
  return {
    identity: basename(folder),
    names,
    nats: { url, user: 'controller', password, name: 'sentinel-bench controller' },
  };
}

/** @param {string} net @param {number} index of a host */
function addressOf(net, index) {
  return `${net}.${index + 1}`;
}
