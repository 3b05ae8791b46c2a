import { UserError } from '../../../errors.js';
import { chooseFilesFolder } from '../../files-folder.js';
import { freePort, isPortFree, portOwner } from '../../ports.js';
import { isLockedHere } from '../../stack-lock.js';
import { CAN_RELAY, startRelay } from '../relay/relay.js';
import { refusedSetting } from '../start-settings.js';
import { FIRST_PRIMARY, NODES } from '../topology.js';
import { clusterOf, identityOf, openStackMembers } from './cluster.js';
import { portOf, readLog, spawnNode, waitAnswers, writeConf } from './nodes.js';
import { findServer, INSTALL_SERVER, isOpenToOthers } from './server.js';
import {
  abandonedFolders,
  createStack,
  listStacks,
  ownerLives,
  programOf,
  removeFolder,
  removeStack,
  runningNodes,
  saveStack,
  toldOfFiles,
} from './stack.js';

/**
 * @import { Cluster, ClusterOptions } from '../../types.js'
 * @import { Relay } from '../relay/relay.js'
 * @import { StackRecord } from './stack.js'
 */

/**
 * The `local` backend: six child processes on loopback.
 */

/** A Sentinel that stood still for 2 s, as on a busy machine, is in TILT for 30 s. */
const READY_DEADLINE_MS = 60_000;

/** Somebody else may take a port between our look at it and the server's. */
const PORT_ATTEMPTS = 5;

const WHY = 'Child processes on this machine: nothing lies between the clients and the servers.';

class PortLostError extends Error {}

/**
 * Starts a stack and waits until it is ready. First clears away what dead processes left.
 *
 * @param {Partial<ClusterOptions> & {why?: string}} options
 * @returns {Promise<Cluster>}
 * @throws {UserError} no server program, links of a stack that is to stay, or the stack never becomes ready; whatever was
 *   started is gone by then
 */
export async function startLocal(options) {
  const { tell = () => {}, signal } = options;
  if (options.links && options.detached) {
    throw new UserError(
      'A local stack that stays up has no links that can be cut or slowed: the relay between its nodes ends with this process.',
      'Start the stack without links, or let the run start one of its own.',
    );
  }
  const server = await findServer(options.server);
  if (!server) {
    throw new UserError(
      'Neither redis-server nor valkey-server is on PATH.',
      `${INSTALL_SERVER}, or name one with --server.`,
    );
  }
  await recoverLocal(tell);
  if (isOpenToOthers(server)) {
    tell(
      `Redis ${server.version} lets everybody who can log in to this machine write files as you; use Redis 7 or Valkey, or --backend docker, unless you are alone here.`,
    );
  }
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const stack = await placeStack(server, options, tell);
    /** @type {Relay | null} */
    let relay = null;
    try {
      relay = options.links && CAN_RELAY ? await startRelay(stack.nodes) : null;
      return await bringUp(stack, relay, options);
    } catch (error) {
      await removeStack(stack);
      await relay?.close();
      if (!(error instanceof PortLostError) || attempt === PORT_ATTEMPTS) throw toldOfFiles(stack, error);
      tell(`${error.message}; trying others.`);
    }
  }
}

/**
 * The stack that `up` started and that still runs, at least in part. It is taken as it is, healthy or not.
 *
 * @param {Partial<ClusterOptions>} [options]
 * @returns {Promise<Cluster | null>} null: there is none
 */
export async function attachLocal(options) {
  const stack = listStacks().findLast((each) => each.detached && runningNodes(each).length > 0);
  if (!stack) return null;
  stack.program = () => programOf(stack, options?.server);
  return clusterOf(stack, openStackMembers(stack), {
    ours: false,
    why: 'A local stack is already up.',
    relay: null,
  });
}

/**
 * Takes down what processes left that died without taking it down themselves. Touches no stack of a living process and no
 * stack that `up` started.
 *
 * @param {(line: string) => void} [tell]
 */
export async function recoverLocal(tell = () => {}) {
  const dead = listStacks().filter((stack) => !ownerLives(stack));
  // Read again: an owner that has ended since may have been `up`, whose last step says that the stack stays.
  const final = listStacks().filter(({ folder }) => dead.some((stack) => stack.folder === folder));
  for (const stack of final) {
    const running = runningNodes(stack).length;
    if (stack.detached && (running > 0 || isLockedHere({ backend: 'local', identity: identityOf(stack) }))) continue;
    await removeStack(stack);
    tell(`Removed what process ${stack.owner.pid} left: ${running} servers and their files.`);
  }
  for (const folder of abandonedFolders()) removeFolder(folder);
}

/** The stack of this process that was placed last: two at the same time would choose the same ports. */
let lastPlaced = Promise.resolve();

/**
 * @param {StackRecord['server']} server
 * @param {Partial<ClusterOptions>} options
 * @param {(line: string) => void} tell
 * @returns {Promise<StackRecord>}
 */
function placeStack(server, { dataDir, detached = false }, tell) {
  const placed = lastPlaced.then(async () => {
    const files = dataDir === undefined ? {} : { files: chooseFilesFolder(dataDir) };
    return createStack({ detached: false, server, nodes: await choosePorts({ useUsual: detached, tell }), ...files });
  });
  lastPlaced = placed.then(
    () => {},
    () => {},
  );
  return placed;
}

/**
 * @param {Object} options
 * @param {boolean} options.useUsual the well-known ports where they are free; false: leave them to others. A stack of a run
 *   stops nodes for a while, and a stack of another user would take such a port meanwhile
 * @param {(line: string) => void} options.tell
 */
async function choosePorts({ useUsual, tell }) {
  // A node that another stack has stopped wants its port back. A server that another stack started there would be made a
  // replica by the Sentinels of the first.
  const given = new Set(listStacks().flatMap(({ nodes }) => nodes.map(({ port }) => port)));
  const nodes = [];
  for (const { id, port: usual } of NODES) {
    const free = useUsual && !given.has(usual) && (await isPortFree(usual));
    const port = free ? usual : await freePort(given);
    given.add(port);
    nodes.push({ id, port });
    if (useUsual && !free) {
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
 * @param {Relay | null} relay
 * @param {Partial<ClusterOptions> & {why?: string}} options
 * @returns {Promise<Cluster>}
 */
async function bringUp(stack, relay, { tell = () => {}, signal, detached = false, why = WHY, settings }) {
  const failure = new AbortController();
  const abandon = AbortSignal.any(signal ? [signal, failure.signal] : [failure.signal]);
  const members = openStackMembers(stack, relay?.ports);
  const program = await stack.program();
  /** @param {string} id */
  const launch = (id) => {
    writeConf(stack, id, relay?.ports, settings);
    spawnNode(stack, id, program).then(
      () => failure.abort(prematureEnd(stack, id, settings)),
      (error) => failure.abort(error),
    );
  };
  try {
    tell(`Starting ${stack.server.name} ${stack.server.version}: three nodes and three Sentinels.`);
    // The primary before the others: a replica that does not find it looks again only a second later.
    launch(FIRST_PRIMARY);
    await waitAnswers(stack, FIRST_PRIMARY, abandon);
    const others = NODES.filter(({ id }) => id !== FIRST_PRIMARY);
    const replicas = others.filter(({ kind }) => kind === 'redis').map(({ id }) => id);
    for (const id of replicas) launch(id);
    // Sentinels last: where somebody else was quicker to take a node's port, they would make that server a replica of ours.
    await Promise.all(replicas.map((id) => waitAnswers(stack, id, abandon)));
    for (const { id } of others) if (!replicas.includes(id)) launch(id);
    await members.ready({ deadlineMs: READY_DEADLINE_MS, signal: abandon });
    const { name, version } = await members.server();
    stack.server = { ...stack.server, name, version: version ?? stack.server.version };
    stack.detached = detached;
    saveStack(stack);
  } catch (error) {
    members.close();
    throw abandon.aborted ? abandon.reason : error;
  }
  return clusterOf(stack, members, { ours: !detached, why, relay });
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 * @param {ClusterOptions['settings']} settings
 */
function prematureEnd(stack, id, settings) {
  const log = readLog(stack, id, 8);
  if (log.some((line) => line.includes('Address already in use'))) {
    return new PortLostError(`Port ${portOf(stack, id)} was taken by another process just before ${id} started`);
  }
  return (
    refusedSetting(log, settings) ??
    new UserError(
      `${id} ended before the stack was ready.`,
      log.some((line) => line !== '')
        ? 'Its last log lines below say why.'
        : `It wrote no log: look whether there is room in ${stack.folder}.`,
      undefined,
      { detail: log.join('\n') },
    )
  );
}
