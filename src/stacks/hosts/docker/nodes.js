/**
 * The containers of one stack, and where they are reached.
 * @import { Address, NodeKind } from '../../types.js'
 * @import { Engine } from './engine.js'
 * @typedef {Object} NodeContainer facts that do not change in a node's life
 * @property {string} id of the node
 * @property {NodeKind} kind
 * @property {string} container the engine's id of the container
 * @property {Address} onData its own address on `data`
 * @property {Address} announced where its peers find it: there, or at Toxiproxy
 * @property {Address} onClients its own address on `clients`
 * @property {Address} published its port on this machine
 * @typedef {Awaited<ReturnType<typeof openSite>>} DockerSite the containers of one stack, which exist
 */
import { LOOPBACK } from '../../address.js';
import { nodeOf } from '../../ask.js';
import { probe } from '../probe.js';

/** Ports inside the containers, as in docker-compose.yml, by the kind of node. */
export const INNER_PORT = { redis: 6379, sentinel: 26379, mariadb: 3306 };

/** The last number of a node's address on `clients` minus that on `data`, as in docker-compose.yml. */
const CLIENTS_OFFSET = 128;

const REACH_DEADLINE_MS = 4000;

/**
 * @param {Engine} engine @param {string} project whose containers exist
 * @param {(address: Address) => Promise<boolean>} [canReach] for tests: whether a container's own address is routed from here
 * @returns direct: containers' own addresses can be reached from here; find: by the id of a node
 */
export async function openSite(engine, project, canReach) {
  const containers = await findNodes(engine, project);
  const direct = await areReachable(engine, project, containers, canReach);
  const find = (/** @type {string} */ id) => nodeOf({ nodes: containers }, id);
  const open = (/** @type {string} */ id) => engine.getContainer(find(id).container);
  return { engine, project, containers, direct, find, open };
}

/** @param {Engine} engine @param {string} project @returns {Promise<NodeContainer[]>} in the order of their ids */
export async function findNodes(engine, project) {
  const filters = { label: [`com.docker.compose.project=${project}`, 'sentinel-bench.node'] };
  const listed = await engine.listContainers({ all: true, filters });
  const nodes = listed.map(async ({ Id: container, Labels: labels }) => {
    const id = labels['sentinel-bench.node'];
    const kind = /** @type {NodeKind} */ (id.split('-')[0]);
    const { HostConfig } = await engine.getContainer(container).inspect();
    const port = INNER_PORT[kind];
    const [binding] = /** @type {{HostPort: string}[]} */ (HostConfig.PortBindings[`${port}/tcp`]);
    const host = labels['sentinel-bench.address'];
    const announced = {
      host: labels['sentinel-bench.announced-host'] ?? host,
      port: Number(labels['sentinel-bench.announced-port'] ?? port),
    };
    // Computed, because the engine knows no address of an isolated node.
    const onClients = { host: host.replace(/\d+$/, (last) => String(Number(last) + CLIENTS_OFFSET)), port };
    const published = { host: LOOPBACK, port: Number(binding.HostPort) };
    return { id, kind, container, onData: { host, port }, announced, onClients, published };
  });
  return (await Promise.all(nodes)).sort((a, b) => a.id.localeCompare(b.id));
}

/**
 * Can this process reach the containers' own addresses? Only if the engine shares this machine's kernel. They avoid the user-space
 * proxy of a published port, which halves throughput. @param {Engine} engine @param {string} project @param {NodeContainer[]} containers
 * @param {(address: Address) => Promise<boolean>} [canReach] for tests
 */
async function areReachable(engine, project, containers, canReach) {
  if (process.platform !== 'linux') return false;
  const looks = containers.map(async ({ container, onClients }) => {
    const { State, NetworkSettings } = await engine.getContainer(container).inspect();
    if (!State.Running || !(`${project}_clients` in NetworkSettings.Networks)) return null;
    // The server may not listen yet, and so refuse.
    return canReach?.(onClients) ?? [null, 'ECONNREFUSED'].includes(await probe(onClients, REACH_DEADLINE_MS));
  });
  const reached = await Promise.all(looks);
  return reached.includes(true) && !reached.includes(false);
}
