/**
 * Hosts made of network namespaces, with an agent on each and NATS on the first: several machines on one, for trying and for tests. They stay
 * until they are taken down. They are recorded, started and ended as the nodes of a local stack are.
 */
import { programPath } from '../programs.js';
import { freeNet } from '../stacks/hosts/local/addresses.js';
import { openLocalHost } from '../stacks/hosts/local/host.js';
import { makeStackHosts } from '../stacks/hosts/local/hosts.js';
import * as records from '../stacks/hosts/local/record.js';
import { removeLeft } from '../stacks/hosts/local/recover.js';
import { answers } from '../stacks/hosts/probe.js';
import { whyNoNamespaces } from '../stacks/network/namespaces.js';
import { ownFolders } from '../stacks/records/own-folders.js';
import { NATS_PASSWORD_VARIABLE } from '../untrusted.js';
import { orUndo } from '../wait.js';
import { connectNats } from './connection.js';
import { discoverAgents } from './controller.js';
import { inboxOf, newPassword, subjects } from './protocol.js';
import { refusal } from './refusals.js';

/**
 * @import { Program } from '../stacks/hosts/host.js'
 * @import { StackRecord } from '../stacks/hosts/local/record.js'
 */

/** More would share one bridge and a few cores, and show nothing new. */
export const MOST_MACHINES = 100;

const NATS = 'nats';
const NATS_PORT = 4222;
/** An agent starts in half a second; a hundred of them share the cores. */
const READY_MS = 120_000;
const LOG_LINES = 8;
const folders = ownFolders('sentinel-bench-agents');

/**
 * @param {Object} options @param {number} options.count 1 to {@link MOST_MACHINES}
 * @param {readonly string[]} options.agent words of the command that starts an agent, without its own options
 * @param {AbortSignal} options.signal @param {(line: string) => void} options.tell
 * @returns all agents answer; everything is gone when it rejects
 * @throws {UserError} exit status 3: this machine cannot make them, or they are up already
 */
export async function bringUpMachines({ count, agent, signal, tell }) {
  const program = await findNats();
  await recoverMachines(tell);
  if (records.listStacks(folders).length > 0) throw refusal('up-already');
  const net = freeNet(new Set(), true);
  const agents = Array.from({ length: count }, (_, index) => `host-${index + 1}`);
  const nodes = [
    { id: NATS, host: `${net}.1`, port: NATS_PORT },
    ...agents.map((id, index) => ({ id, host: `${net}.${index + 1}`, port: NATS_PORT })),
  ];
  const server = { path: program, name: NATS, version: '' };
  const record = records.createStack(
    { part: 'machines', detached: false, server, nodes, net, hosts: true, password: newPassword() },
    folders,
  );
  const starting = start(record, agent, signal).then(() => records.saveStack({ ...record, detached: true }));
  await orUndo(starting, () => records.removeStack(record));
  return machinesOf(record);
}

/** @returns those that are up here; null: none */
export function findMachines() {
  const record = records.listStacks(folders).findLast(({ detached }) => detached);
  return record ? machinesOf(record) : null;
}

/** @returns {Promise<number>} how many machines were taken down */
export async function takeDownMachines() {
  const all = records.listStacks(folders);
  for (const record of all) await records.removeStack(record);
  return all.flatMap(namesIn).length;
}

/** Removes what a killed `agents up` left, and machines whose processes have all ended. @param {(line: string) => void} tell */
export function recoverMachines(tell) {
  return removeLeft((record) => tell(`Removed ${namesIn(record).length} namespaces of agents that were left.`), {
    part: 'machines',
    folders,
  });
}

async function findNats() {
  const program = programPath('nats-server');
  const why = (await whyNoNamespaces()) ?? (program ? null : 'there is no nats-server on PATH, so install nats-server');
  if (program && why === null) return program;
  throw refusal('no-namespaces', { why: `${why?.charAt(0).toUpperCase()}${why?.slice(1)}` });
}

/** @param {StackRecord} record @param {readonly string[]} agent @param {AbortSignal} signal */
async function start(record, agent, signal) {
  const { nats, names } = machinesOf(record);
  const host = openLocalHost(record);

  /** @param {string} id @param {Pick<Program, 'command' | 'env' | 'isUp'>} program */
  async function run(id, program) {
    try {
      await host.start(id, { ...program, deadlineMs: READY_MS, signal });
    } catch {
      signal.throwIfAborted();
      throw refusal('part-silent', { part: id }, { detail: (await host.logs(id, LOG_LINES)).join('\n') });
    }
  }

  await makeStackHosts(record);
  signal.throwIfAborted();
  const passwords = new Map(names.map((name) => [name, newPassword()]));
  await host.write(NATS, 'nats.json', natsConfiguration(record, passwords));
  await run(NATS, {
    command: [record.server.path, '-c', 'nats.json'],
    isUp: () => answers(() => connectNats(nats, { reconnect: false })),
  });
  const connection = await connectNats(nats, { reconnect: false });
  const starting = names.map((name) =>
    run(name, {
      command: [...agent, '--name', name, '--nats-user', name],
      env: { SENTINEL_BENCH_NATS: nats.url, [NATS_PASSWORD_VARIABLE]: passwords.get(name) },
      isUp: async () => (await discoverAgents(connection, [name])).some((found) => found.name === name),
    }),
  );
  await Promise.all(starting).finally(() => connection.close());
}

/**
 * Each agent may serve under its own name only, as in deploy/nats. JSON is a NATS configuration.
 * @param {StackRecord} record @param {ReadonlyMap<string, string>} agents their passwords
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
  return JSON.stringify({ listen: `${net}.1:${NATS_PORT}`, authorization: { users: [controller, ...users] } });
}

/** @param {StackRecord} record @returns {string[]} of its agents */
function namesIn({ nodes }) {
  return nodes.flatMap(({ id }) => (id === NATS ? [] : id));
}

/** @param {StackRecord} record @returns identity: of their switch; names: of the agents; nats: for a controller */
function machinesOf(record) {
  const url = `nats://${record.net}.1:${NATS_PORT}`;
  return {
    identity: records.identityOf(record),
    names: namesIn(record),
    nats: { url, user: 'controller', password: record.password, name: 'sentinel-bench controller' },
  };
}
