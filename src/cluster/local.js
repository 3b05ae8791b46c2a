import { basename } from 'node:path';
import { UserError } from '../errors.js';
import { actOnNode, LOOPBACK, portOf, readLog, spawnNode, waitAnswers, writeConf } from './local-nodes.js';
import { findServer, INSTALL_SERVER } from './local-server.js';
import {
  abandonedFolders,
  createStack,
  listStacks,
  ownerLives,
  pidOf,
  removeFolder,
  removeStack,
  runningNodes,
  saveStack,
} from './local-stack.js';
import { sampleProcess } from './local-stats.js';
import { openMembers } from './members.js';
import { freePort, isPortFree, portOwner } from './ports.js';
import { isPaused } from './processes.js';
import { FIRST_PRIMARY, MASTER_NAME, NODES } from './topology.js';

/**
 * The `local` backend: six child processes on loopback.
 *
 * @typedef {import('./types.js').Cluster} Cluster
 * @typedef {import('./types.js').ClusterOptions} ClusterOptions
 * @typedef {import('./local-stack.js').StackRecord} StackRecord
 */

const READY_DEADLINE_MS = 20_000;

/** Somebody else may take a port between our look at it and the server's. */
const PORT_ATTEMPTS = 5;

const WHY = 'Child processes on this machine: nothing lies between the clients and the servers.';

class PortLostError extends Error {}

/**
 * Starts a stack and waits until it is ready. First clears away what dead processes left.
 *
 * @param {Partial<ClusterOptions> & {why?: string}} options
 * @returns {Promise<Cluster>}
 * @throws {UserError} no server program, or the stack never becomes ready; whatever was started is gone by then
 */
export async function startLocal(options) {
  const { tell = () => {}, signal } = options;
  const server = await findServer(options.server);
  if (!server) {
    throw new UserError(
      'Neither redis-server nor valkey-server is on PATH.',
      `${INSTALL_SERVER}, or name one with --server.`,
    );
  }
  await recoverLocal(tell);
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const stack = createStack({ detached: false, server, nodes: await choosePorts(tell) });
    try {
      return await bringUp(stack, options);
    } catch (error) {
      await removeStack(stack);
      if (!(error instanceof PortLostError) || attempt === PORT_ATTEMPTS) throw error;
      tell(`${error.message}; trying others.`);
    }
  }
}

/**
 * The stack that `up` started and that still runs, at least in part. It is taken as it is, healthy or not.
 *
 * @param {Partial<ClusterOptions>} [_options]
 * @returns {Promise<Cluster | null>} null: there is none
 */
export async function attachLocal(_options) {
  const stack = listStacks().findLast((each) => each.detached && runningNodes(each).length > 0);
  if (!stack) return null;
  return clusterOf(stack, openStackMembers(stack), false, 'A local stack is already up.');
}

/**
 * Takes down what processes left that died without taking it down themselves. Touches no stack of a living process and no
 * stack that `up` started.
 *
 * @param {(line: string) => void} [tell]
 */
export async function recoverLocal(tell = () => {}) {
  for (const stack of listStacks()) {
    if (ownerLives(stack)) continue;
    const running = runningNodes(stack).length;
    if (stack.detached && running > 0) continue;
    await removeStack(stack);
    tell(`Removed what process ${stack.owner.pid} left: ${running} servers and their files.`);
  }
  for (const folder of abandonedFolders()) removeFolder(folder);
}

/** @param {(line: string) => void} tell */
async function choosePorts(tell) {
  // A node that another stack has stopped for a while lets go of its port and wants it back; and whoever else answered
  // there would be made a replica by that stack's Sentinels.
  const given = new Set(listStacks().flatMap(({ nodes }) => nodes.map(({ port }) => port)));
  const nodes = [];
  for (const { id, port: usual } of NODES) {
    const port = !given.has(usual) && (await isPortFree(usual)) ? usual : await freePort(given);
    given.add(port);
    nodes.push({ id, port });
    if (port !== usual) {
      const owner = portOwner(usual);
      tell(
        `Port ${usual} is taken${owner ? ` by ${owner.name} (process ${owner.pid})` : ''}: ${id} listens on ${port}.`,
      );
    }
  }
  return nodes;
}

/**
 * @param {StackRecord} stack
 * @param {Partial<ClusterOptions> & {why?: string}} options
 * @returns {Promise<Cluster>}
 */
async function bringUp(stack, { tell = () => {}, signal, detached = false, why = WHY }) {
  const failure = new AbortController();
  const abandon = AbortSignal.any(signal ? [signal, failure.signal] : [failure.signal]);
  const members = openStackMembers(stack);
  /** @param {string} id */
  const launch = (id) => {
    writeConf(stack, id);
    spawnNode(stack, id).then(
      () => failure.abort(prematureEnd(stack, id)),
      (error) => failure.abort(error),
    );
  };
  try {
    tell(`Starting ${stack.server.name} ${stack.server.version}: three nodes and three Sentinels.`);
    // The primary before the others: a replica that does not find it looks again only a second later.
    launch(FIRST_PRIMARY);
    await waitAnswers(stack, FIRST_PRIMARY, abandon);
    for (const { id } of NODES) if (id !== FIRST_PRIMARY) launch(id);
    await members.ready({ deadlineMs: READY_DEADLINE_MS, signal: abandon });
    stack.server = { ...stack.server, ...(await members.server()) };
    stack.detached = detached;
    saveStack(stack);
  } catch (error) {
    members.close();
    throw abandon.aborted ? abandon.reason : error;
  }
  return clusterOf(stack, members, !detached, why);
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 */
function prematureEnd(stack, id) {
  const log = readLog(stack, id, 8);
  if (log.some((line) => line.includes('Address already in use'))) {
    return new PortLostError(`Port ${portOf(stack, id)} was taken by another process just before ${id} started`);
  }
  return new UserError(`${id} ended before the stack was ready.`, 'Its last log lines below say why.', undefined, {
    detail: log.join('\n'),
  });
}

/** @param {StackRecord} stack */
function openStackMembers(stack) {
  const nodes = NODES.map(({ id, kind }) => {
    const address = Object.freeze({ host: LOOPBACK, port: portOf(stack, id) });
    return Object.freeze({ id, kind, address, announced: address });
  });
  return openMembers(nodes, { masterName: MASTER_NAME, logs: async (id, lines) => readLog(stack, id, lines) });
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 */
async function wake(stack, id) {
  const pid = pidOf(stack, id);
  if (pid === null || !isPaused(pid)) return;
  // A Sentinel that notices that it stood still goes into TILT for 30 s; one that restarts goes on from its file at once.
  const isSentinel = NODES.some((node) => node.id === id && node.kind === 'sentinel');
  await actOnNode(stack, id, isSentinel ? 'kill' : 'resume');
}

/**
 * @param {StackRecord} stack
 * @param {import('./members.js').Members} members
 * @param {boolean} ours
 * @param {string} why
 * @returns {Cluster}
 */
function clusterOf(stack, members, ours, why) {
  /** @type {Map<string, {pid: number, sample: import('./types.js').ResourceSample}>} */
  const samples = new Map();
  /** @type {Promise<void> | null} */
  let goingDown = null;

  function down() {
    members.close();
    goingDown ??= removeStack(stack);
    return goingDown;
  }

  /** @param {string} id */
  async function sample(id) {
    const pid = pidOf(stack, id);
    if (pid === null) return [];
    const previous = samples.get(id);
    const current = await sampleProcess(id, pid, members.observer, previous?.pid === pid ? previous.sample : undefined);
    samples.set(id, { pid, sample: current });
    return [current];
  }

  return {
    backend: 'local',
    identity: basename(stack.folder),
    why,
    ours,
    server: { name: stack.server.name, version: stack.server.version },
    path: 'loopback',
    masterName: MASTER_NAME,
    credentials: {},
    nodes: members.observer.nodes,
    can: new Set(['pause', 'stop', 'kill', 'configure', 'stats', 'logs']),
    primary: members.primary,
    replicas: members.replicas,
    observe: members.observer.snapshot,
    reach: members.reach,
    act: (id, action) => actOnNode(stack, id, action),
    slow: async () => refuseLinks(),
    async heal() {
      for (const { id } of stack.nodes) {
        await wake(stack, id);
        await actOnNode(stack, id, 'start');
      }
      await members.settle();
    },
    async stats() {
      return (await Promise.all(stack.nodes.map(({ id }) => sample(id)))).flat();
    },
    logs: async (id, lines) => readLog(stack, id, lines),
    async close() {
      if (ours) await down();
      else members.close();
    },
    down,
  };
}

/** @returns {never} */
function refuseLinks() {
  throw new UserError(
    'The links of this local stack cannot be slowed, because it was started without a relay between its nodes.',
    'Take it down with `sentinel-bench down`, so that the benchmark starts one with a relay.',
  );
}
