import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../../errors.js';
import { plainName } from '../../files-folder.js';
import { portOwner } from '../../ports.js';
import { connectControl } from '../control.js';
import { redial } from '../redial.js';
import { NODES } from '../topology.js';

/**
 * @import { Action, Address, NodeKind } from '../../types.js'
 * @import { Engine } from './engine.js'
 * @import { Container } from 'dockerode'
 */

/**
 * The containers of one stack: what they are, and what can be done to one of them.
 *
 * @typedef {Object} NodeContainer what does not change in a node's life
 * @property {string} id of the node
 * @property {NodeKind} kind
 * @property {string} container the engine's id of the container
 * @property {Address} announced its address on `data`
 * @property {Address} onClients its own address on `clients`
 * @property {Address} published its port on this machine
 *
 * @typedef {Object} NodeState
 * @property {boolean} running a paused container runs, too
 * @property {boolean} paused
 * @property {boolean} cut it is not on `data`
 * @property {boolean} unreachable it is not on `clients`
 */

/** Ports inside the containers; the same stand in docker-compose.yml. */
const INNER_PORT = { redis: 6379, sentinel: 26379 };

/** Where a node keeps its files, as in docker-compose.yml. */
const DATA = '/data';

/** A node's last number on `clients` is this much more than that on `data`, as in docker-compose.yml. */
const CLIENTS_OFFSET = 128;

/** A primary that ends waits up to 10 s for replicas that lag behind; then Docker kills it. */
const STOP_SECONDS = 12;

/** What engines say of a published port that they cannot have. */
export const PORT_LOST = /port is already allocated|address already in use|ports are not available/i;

const START_DEADLINE_MS = 30_000;
const POLL_MS = 20;

/**
 * @param {Engine} engine
 * @param {string} project
 * @returns {Promise<NodeContainer[]>} in the topology's order; fewer than six when some are missing
 */
export async function findNodes(engine, project) {
  const filters = { label: [`com.docker.compose.project=${project}`, 'sentinel-bench.node'] };
  const listed = await engine.listContainers({ all: true, filters });
  const nodes = await Promise.all(
    NODES.map(async ({ id, kind }) => {
      const found = listed.find((each) => each.Labels['sentinel-bench.node'] === id);
      if (!found) return [];
      const { HostConfig, Config } = await engine.getContainer(found.Id).inspect();
      const port = INNER_PORT[kind];
      const [binding] = /** @type {{HostPort: string}[]} */ (HostConfig.PortBindings[`${port}/tcp`]);
      const host = Config.Labels['sentinel-bench.address'];
      return [
        {
          id,
          kind,
          container: found.Id,
          announced: { host, port },
          // Not asked of the engine: an isolated node has none there.
          onClients: { host: host.replace(/\d+$/, (last) => String(Number(last) + CLIENTS_OFFSET)), port },
          published: { host: '127.0.0.1', port: Number(binding.HostPort) },
        },
      ];
    }),
  );
  return nodes.flat();
}

/**
 * @param {Engine} engine
 * @param {string} project
 * @param {NodeContainer} node
 * @returns {Promise<NodeState>}
 */
export async function stateOf(engine, project, { container }) {
  const { State, NetworkSettings } = await engine.getContainer(container).inspect();
  return {
    running: State.Running,
    paused: State.Paused,
    cut: !(`${project}_data` in NetworkSettings.Networks),
    unreachable: !(`${project}_clients` in NetworkSettings.Networks),
  };
}

/**
 * Does what has not been done yet.
 *
 * @param {Engine} engine
 * @param {string} project
 * @param {NodeContainer} node
 * @param {Action} action
 * @param {Address} address where this process reaches the node
 */
export async function actOnContainer(engine, project, node, action, address) {
  const container = engine.getContainer(node.container);
  const data = engine.getNetwork(`${project}_data`);
  const clients = engine.getNetwork(`${project}_clients`);
  const { running, paused, cut, unreachable } = await stateOf(engine, project, node);
  switch (action) {
    case 'pause':
      if (!running) throw new Error(`${node.id} does not run, so it cannot be paused`);
      if (!paused) await container.pause();
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
    case 'start':
      if (running) return;
      await startContainer(container, node);
      await waitAnswers(node, address);
      return;
    case 'cut':
      if (!cut) await data.disconnect({ Container: node.container });
      return;
    case 'isolate':
      // Clients first: in between it still replicates, instead of taking writes that nobody else gets.
      if (!unreachable) await clients.disconnect({ Container: node.container });
      if (!cut) await data.disconnect({ Container: node.container });
      return;
    case 'join':
      if (unreachable) await clients.connect(endpoint(node, node.onClients));
      if (!cut) return;
      await data.connect(endpoint(node, node.announced));
      if (node.kind === 'redis' && running && !paused) await redial(address);
      return;
  }
}

/**
 * @param {NodeContainer} node
 * @param {Address} address the one its peers or clients know
 */
function endpoint({ id, container }, { host }) {
  return { Container: container, EndpointConfig: { IPAMConfig: { IPv4Address: host }, Aliases: [id] } };
}

/**
 * @param {Container} container stopped, so its published port was anybody's
 * @param {NodeContainer} node
 */
async function startContainer(container, { id, published: { port } }) {
  try {
    await container.start();
  } catch (error) {
    if (!(error instanceof Error) || !PORT_LOST.test(error.message)) throw error;
    const owner = portOwner(port);
    throw new UserError(
      `${id} cannot start again, because its port ${port} was taken meanwhile${owner ? ` by ${owner.name} (process ${owner.pid})` : ''}.`,
      'Stop what uses the port, then heal the stack with `sentinel-bench recover`, or take it down.',
      undefined,
      { cause: error },
    );
  }
}

/**
 * @param {NodeContainer} node
 * @param {Address} address
 */
async function waitAnswers(node, address) {
  const deadline = performance.now() + START_DEADLINE_MS;
  for (;;) {
    try {
      const control = await connectControl(address);
      control.close();
      return;
    } catch (error) {
      if (performance.now() < deadline) await delay(POLL_MS);
      else throw new Error(`${node.id} did not answer within ${START_DEADLINE_MS / 1000} s`, { cause: error });
    }
  }
}

/**
 * @param {Engine} engine
 * @param {Pick<NodeContainer, 'container'>} node
 * @param {number} lines ≥ 1
 * @returns {Promise<string[]>} the last ones
 */
export async function readContainerLog(engine, { container }, lines) {
  const raw = await engine.getContainer(container).logs({ stdout: true, stderr: true, tail: lines });
  return withoutFrames(raw).trimEnd().split('\n');
}

/**
 * @param {Engine} engine
 * @param {Pick<NodeContainer, 'container'>} node
 * @param {string} name
 * @returns {Promise<boolean>} there is such a file or folder among the node's
 */
export async function hasFile(engine, { container }, name) {
  try {
    const answer = await engine.getContainer(container).infoArchive({ path: `${DATA}/${plainName(name)}` });
    // An answer that is not read keeps its connection, and with it this process, for minutes.
    answer.resume();
    return true;
  } catch (error) {
    if (/** @type {{statusCode?: number}} */ (error).statusCode === 404) return false;
    throw error;
  }
}

/**
 * @param {Engine} engine
 * @param {Pick<NodeContainer, 'id' | 'container'>} node running
 * @param {string} name
 */
export async function removeFile(engine, { id, container }, name) {
  // Engines have no other way to remove a file than a program of the image.
  const command = ['rm', '-rf', `${DATA}/${plainName(name)}`];
  const exec = await engine.getContainer(container).exec({ Cmd: command, AttachStdout: true, AttachStderr: true });
  const output = await exec.start({});
  for await (const _ of output);
  if (await hasFile(engine, { container }, name)) throw new Error(`${command.join(' ')} removed nothing in ${id}`);
}

/**
 * @param {Buffer} raw frames of eight bytes (the last four: the length) and a payload, as the engine sends what a container
 *   without a terminal writes
 */
function withoutFrames(raw) {
  const payloads = [];
  for (let at = 0; at + 8 <= raw.length; ) {
    const end = at + 8 + raw.readUInt32BE(at + 4);
    payloads.push(raw.subarray(at + 8, end));
    at = end;
  }
  return Buffer.concat(payloads).toString('utf8');
}
