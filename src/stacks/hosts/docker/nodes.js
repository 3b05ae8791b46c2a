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
import { ALL_NODES } from '../../redis/topology.js';
import { probe } from '../probe.js';

/** Ports inside the containers, as in docker-compose.yml, by the kind of node. @type {Readonly<Record<string, number>>} */
const INNER_PORT = { redis: 6379, sentinel: 26379, mariadb: 3306 };

/** The last number of a node's address on `clients` minus that on `data`, as in docker-compose.yml. */
const CLIENTS_OFFSET = 128;

/** This is long, for a busy machine: an address that can be reached answers at once. */
const REACH_DEADLINE_MS = 4000;

/**
 * @param {Engine} engine @param {string} project whose containers exist
 * @param {{canReach?: (address: Address) => Promise<boolean>, topology?: Parameters<typeof findNodes>[2]}} [options] canReach:
 *   for tests: whether a container's own address is routed from here
 * @returns direct: containers' own addresses can be reached from here; find: by the id of a node
 */
export async function openSite(engine, project, { canReach, topology } = {}) {
  const containers = await findNodes(engine, project, topology);
  const direct = await areReachable(engine, project, containers, canReach);
  const find = (/** @type {string} */ id) => nodeOf({ nodes: containers }, id);
  return {
    engine,
    project,
    containers,
    direct,
    find,
    /** @param {string} id of a node */
    open: (id) => engine.getContainer(find(id).container),
  };
}

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

/**
 * Can this process reach the containers' own addresses? Only if the engine shares this machine's kernel. They avoid the user-space
 * proxy of a published port, which halves throughput. @param {Engine} engine @param {string} project @param {NodeContainer[]} containers
 * @param {(address: Address) => Promise<boolean>} [canReach] for tests
 */
async function areReachable(engine, project, containers, canReach) {
  if (process.platform !== 'linux') return false;
  const reached = await Promise.all(
    containers.map(async ({ container, onClients }) => {
      const { State, NetworkSettings } = await engine.getContainer(container).inspect();
      if (!State.Running || !(`${project}_clients` in NetworkSettings.Networks)) return null;
      // The server may not listen yet, and so refuse.
      return canReach?.(onClients) ?? [null, 'ECONNREFUSED'].includes(await probe(onClients, REACH_DEADLINE_MS));
    }),
  );
  return reached.includes(true) && !reached.includes(false);
}
