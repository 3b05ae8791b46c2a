/**
 * The containers of one stack, and the actions on one of them.
 *
 * @import { Action, Address, NodeKind } from '../types.js'
 * @import { Engine } from './engine.js'
 * @import { Container } from 'dockerode'
 *
 * @typedef {Object} NodeContainer facts that do not change in a node's life
 * @property {string} id of the node
 * @property {NodeKind} kind
 * @property {string} container the engine's id of the container
 * @property {Address} onData its own address on `data`
 * @property {Address} announced where its peers find it: there, or at Toxiproxy
 * @property {Address} onClients its own address on `clients`
 * @property {Address} published its port on this machine
 *
 * @typedef {{engine: Engine, project: string}} Place where the containers are
 */
import { messageOf } from '../../errors.js';
import { waitFor } from '../../wait.js';
import { LOOPBACK } from '../address.js';
import { plainName } from '../files-folder.js';
import { takenBy } from '../ports.js';
import { answers, probe } from '../probe.js';
import { ALL_NODES } from '../redis/topology.js';
import { problem } from '../texts.js';
import { runDocker } from './engine.js';
import { DATA_INSIDE } from './project.js';

/** Ports inside the containers, as in docker-compose.yml, by the kind of node. @type {Readonly<Record<string, number>>} */
const INNER_PORT = { redis: 6379, sentinel: 26379, mariadb: 3306 };

/** The last number of a node's address on `clients` minus that on `data`, as in docker-compose.yml. */
const CLIENTS_OFFSET = 128;

/** A primary that shuts down waits up to 10 s for lagging replicas. After this Docker kills it. */
const STOP_SECONDS = 12;

export const PORT_LOST = /port is already allocated|address already in use|ports are not available/i;

const START_DEADLINE_MS = 30_000;
const RUN_DEADLINE_MS = 10_000;
/** This is long, for a busy machine: an address that can be reached answers at once. */
const REACH_DEADLINE_MS = 4000;
/** On a busy machine the runtime may not stop all threads in its time; it lets them go on then. */
const FREEZE_TRIES = 3;

/**
 * @param {Engine} engine @param {string} project
 * @param {readonly {id: string, kind: NodeKind}[]} [topology] default: of Redis @returns {Promise<NodeContainer[]>} fewer if some are
 *   missing
 */
export async function findNodes(engine, project, topology = ALL_NODES) {
  const filters = { label: [`com.docker.compose.project=${project}`, 'sentinel-bench.node'] };
  const listed = await engine.listContainers({ all: true, filters });
  const nodes = await Promise.all(
    topology.map(async ({ id, kind }) => {
      const found = listed.find((each) => each.Labels['sentinel-bench.node'] === id);
      if (!found) return [];
      const { HostConfig, Config } = await engine.getContainer(found.Id).inspect();
      const port = INNER_PORT[kind];
      const [binding] = /** @type {{HostPort: string}[]} */ (HostConfig.PortBindings[`${port}/tcp`]);
      const host = Config.Labels['sentinel-bench.address'];
      const announced = {
        host: Config.Labels['sentinel-bench.announced-host'] ?? host,
        port: Number(Config.Labels['sentinel-bench.announced-port'] ?? port),
      };
      // Computed, because the engine knows no address of an isolated node.
      const onClients = { host: host.replace(/\d+$/, (last) => String(Number(last) + CLIENTS_OFFSET)), port };
      const published = { host: LOOPBACK, port: Number(binding.HostPort) };
      return [{ id, kind, container: found.Id, onData: { host, port }, announced, onClients, published }];
    }),
  );
  return nodes.flat();
}

/** @param {Place} place @param {NodeContainer} node @returns partitioned: it is not on `data`; unreachable: not on `clients` */
async function stateOf({ engine, project }, { container }) {
  const { State, NetworkSettings } = await engine.getContainer(container).inspect();
  return {
    running: State.Running,
    paused: State.Paused,
    partitioned: !(`${project}_data` in NetworkSettings.Networks),
    unreachable: !(`${project}_clients` in NetworkSettings.Networks),
  };
}

/**
 * Can this process reach the containers' own addresses? Only if the engine shares this machine's kernel. They avoid the user-space
 * proxy of a published port, which halves throughput.
 * @param {Place} place @param {NodeContainer[]} containers @param {(address: Address) => Promise<boolean>} [canReach] for tests
 */
export async function areReachable(place, containers, canReach) {
  if (process.platform !== 'linux') return false;
  const reached = await Promise.all(
    containers.map(async (node) => {
      const { running, unreachable } = await stateOf(place, node);
      if (!running || unreachable) return null;
      // The server may not listen yet, and so refuse.
      return (
        canReach?.(node.onClients) ?? [null, 'ECONNREFUSED'].includes(await probe(node.onClients, REACH_DEADLINE_MS))
      );
    }),
  );
  return reached.includes(true) && !reached.includes(false);
}

/** @param {Container} container that runs */
async function freeze(container) {
  for (let left = FREEZE_TRIES; ; left--) {
    try {
      return await container.pause();
    } catch (error) {
      if (left === 1 || !/unable to freeze/.test(messageOf(error))) throw error;
    }
  }
}

/**
 * Does nothing that is already done.
 * @param {Place} place @param {NodeContainer} node @param {Action} action
 * @param {{connect: () => Promise<{close: () => void}>, onJoined?: () => Promise<unknown>}} server in the container. connect: rejects
 *   while it does not answer; onJoined: called when the server, which runs, reaches its peers again
 */
export async function actOnContainer({ engine, project }, node, action, { connect, onJoined }) {
  const container = engine.getContainer(node.container);
  const data = linkOf(engine, `${project}_data`, node, node.onData);
  const clients = linkOf(engine, `${project}_clients`, node, node.onClients);
  const { running, paused, partitioned, unreachable } = await stateOf({ engine, project }, node);
  async function isolate() {
    // Clients first: in between it still replicates, rather than take writes that no replica gets.
    if (!unreachable) await clients.cut();
    if (!partitioned) await data.cut();
  }
  switch (action) {
    case 'pause':
      if (!running) throw new Error(`${node.id} does not run, so it cannot be paused`);
      if (!paused) await freeze(container);
      return;
    case 'resume':
      if (paused) await container.unpause();
      return;
    case 'stop':
      if (running) await container.stop({ t: STOP_SECONDS });
      return;
    case 'kill':
      if (running) await container.kill();
      return;
    case 'lose':
      if (!running) return;
      // Frozen first: between the disconnection and the kill it must not take writes.
      if (!paused) await freeze(container);
      await isolate();
      await container.kill();
      // The networks of a container that does not run are those that it starts with.
      if (!partitioned) await data.mend();
      if (!unreachable) await clients.mend();
      return;
    case 'start':
      if (!running) await startContainer(container, node, connect);
      return;
    case 'partition':
      if (!partitioned) await data.cut();
      return;
    case 'isolate':
      return isolate();
    case 'join':
      if (unreachable) await clients.mend();
      if (!partitioned) return;
      await data.mend();
      if (running && !paused) await onJoined?.();
      return;
  }
}

/** @param {Engine} engine @param {string} name of a network @param {NodeContainer} node @param {Address} address its own on that network */
function linkOf(engine, name, { id, container: Container }, { host }) {
  const network = engine.getNetwork(name);
  const EndpointConfig = { IPAMConfig: { IPv4Address: host }, Aliases: [id] };
  return {
    cut: () => network.disconnect({ Container }),
    mend: () => network.connect({ Container, EndpointConfig }),
  };
}

/** Resolves when it answers. @param {Container} container @param {NodeContainer} node @param {() => Promise<{close: () => void}>} connect */
async function startContainer(container, { id, published: { port } }, connect) {
  try {
    await container.start();
  } catch (error) {
    if (!(error instanceof Error) || !PORT_LOST.test(error.message)) throw error;
    throw problem('port-taken-meanwhile', { id, port, by: takenBy(port) }, { cause: error });
  }
  if (await waitFor(() => answers(connect), { deadlineMs: START_DEADLINE_MS })) return;
  throw new Error(`${id} did not answer within ${START_DEADLINE_MS / 1000} s`);
}

/** @param {Pick<NodeContainer, 'container'>} node @param {number} lines ≥ 1 @returns the last ones */
export async function readContainerLog({ container }, lines) {
  const args = ['logs', '--tail', String(lines), container];
  const { stdout, stderr } = await runDocker(args, { timeoutMs: RUN_DEADLINE_MS });
  return (stdout + stderr).trimEnd().split('\n');
}

/** @param {Pick<NodeContainer, 'container'>} node running @param {string} name @returns it has such a file or folder */
export async function hasFile({ container }, name) {
  return (await runIn({ container }, ['sh', '-c', 'test -e "$0"', insideOf(name)])) === 0;
}

/** @param {Pick<NodeContainer, 'id' | 'container'>} node running @param {string} name */
export async function removeFile({ id, container }, name) {
  await runIn({ container }, ['rm', '-rf', insideOf(name)]);
  if (await hasFile({ container }, name)) throw new Error(`rm -rf did not remove ${name} in ${id}`);
}

/** @param {string} name @returns its path in a container */
function insideOf(name) {
  return `${DATA_INSIDE}/${plainName(name)}`;
}

/** @param {Pick<NodeContainer, 'container'>} node @param {string[]} command says nothing unless it fails @returns its exit status, 0 or 1 */
export async function runIn({ container }, command) {
  const { status, stdout, stderr, failure } = await runDocker(['exec', container, ...command], {
    timeoutMs: RUN_DEADLINE_MS,
  });
  // Others are those of an engine that could not run it.
  if ((status === 0 || status === 1) && stderr === '') return status;
  throw new Error(`${command.join(' ')} failed: ${failure?.message ?? (stderr || stdout).trim()}`);
}
