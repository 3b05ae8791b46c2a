/**
 * The relay's thread. It listens on a port for each node, which the node's peers dial, and forwards to the node's real port. Each node
 * dials from an address of its own, by which the relay knows it. Connections from other addresses pass, neither held nor slowed.
 *
 * Each message carries the whole state, so repeating one does no harm. The thread answers when the state is in force.
 *
 * @import { LinkShape } from '../types.js'
 * @import { Lane, Line } from './relay-line.js'
 * @import { AddressInfo } from 'node:net'
 *
 * @typedef {{partitioned: string[], lost: string[], all: LinkShape | null, nodes: Record<string, LinkShape>}} State partitioned: ids of
 *   nodes; lost: ids of nodes whose machine is gone; all: the shape of every link; nodes: on top of that, for the links of these nodes
 *
 * @typedef {{id: string, source: string, port?: number}} RelayedNode `source`: the address it dials from; `port`: its real port. Absent: nobody
 *   dials it
 *
 * @typedef {Object} Link one connection
 * @property {string[]} nodes ids of its two ends; one, if a stranger dialled
 * @property {Lane} lane to the node that was dialled
 * @property {() => void} dial
 * @property {() => void} drop closes both ends, with all that is under way
 * @property {Line[]} lines
 */
import { createServer, Socket } from 'node:net';
import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../../worker-thread.js';
import { LOOPBACK } from '../address.js';
import { combine, createLane, createLine, createRota } from './relay-line.js';

const SOCKET_BUFFER_BYTES = 256 * 1024;

/** `byPort`: see `startRelay`. @type {{nodes: RelayedNode[], byPort: boolean}} */
const { nodes, byPort } = workerData;

/** @type {State} */
let state = { partitioned: [], lost: [], all: null, nodes: {} };

const links = /** @type {Set<Link>} */ (new Set());

/** @type {Map<string, {from: string, to: string, lane: Lane}>} one for each pair of nodes and each direction */
const lanes = new Map();

/** @param {string} from id of a node @param {string} to */
function laneBetween(from, to) {
  const key = `${from} ${to}`;
  const existing = lanes.get(key);
  if (existing) return existing.lane;
  const made = { from, to, lane: createLane() };
  lanes.set(key, made);
  apply(made);
  return made.lane;
}

/** @param {{from: string, to: string, lane: Lane}} link */
function apply({ from, to, lane }) {
  lane.held = [from, to].some((id) => state.partitioned.includes(id) || state.lost.includes(id));
  lane.reshape(combine([state.all ?? undefined, state.nodes[from], state.nodes[to]]));
}

const wake = createRota();

/** @param {RelayedNode} node that was dialled @param {Socket} inbound paused @param {RelayedNode} [peer] that dialled; or a stranger */
function relay(node, inbound, peer) {
  // The types lack the options that sockets pass on to streams.
  const options = { allowHalfOpen: true, highWaterMark: SOCKET_BUFFER_BYTES };
  const outbound = new Socket(options);
  outbound.pause();
  for (const socket of [inbound, outbound]) {
    socket.setNoDelay(true);
    // After an error the socket closes, and then the other one does, too.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (inbound.destroyed && outbound.destroyed) links.delete(link);
    });
  }
  const lane = peer ? laneBetween(peer.id, node.id) : createLane();
  let dialled = false;
  /** @type {Link} */
  const link = {
    nodes: peer ? [peer.id, node.id] : [node.id],
    lane,
    dial() {
      if (dialled || lane.held) return;
      dialled = true;
      // A peer that gave up while it was cut off never reaches the node.
      if (inbound.destroyed) outbound.destroy();
      else outbound.connect({ host: LOOPBACK, port: Number(node.port) });
    },
    drop() {
      // A peer that dialled while the node was away reaches it when it is back.
      if (!dialled) return;
      inbound.destroy();
      outbound.destroy();
    },
    lines: [],
  };
  links.add(link);
  link.dial();
  link.lines.push(
    createLine(inbound, outbound, lane, wake),
    createLine(outbound, inbound, peer ? laneBetween(node.id, peer.id) : createLane(), wake),
  );
  for (const line of link.lines) line.refresh();
}

/**
 * @param {RelayedNode} node @param {RelayedNode} [peer] the only one that dials this port; default: all do, each from its own address
 * @returns {Promise<[string, number]>} what `Relay.ports` has
 */
function listen(node, peer) {
  return new Promise((resolve, reject) => {
    const server = createServer(
      { allowHalfOpen: true, pauseOnConnect: true, highWaterMark: SOCKET_BUFFER_BYTES },
      (inbound) => relay(node, inbound, peer ?? nodes.find(({ source }) => source === inbound.remoteAddress)),
    );
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port: 0 }, () => {
      const { port } = /** @type {AddressInfo} */ (server.address());
      resolve([peer ? `${peer.id} ${node.id}` : node.id, port]);
    });
  });
}

const dialled = nodes.filter(({ port }) => port !== undefined);
const listening = dialled.flatMap((node) =>
  byPort ? nodes.filter((peer) => peer !== node).map((peer) => listen(node, peer)) : [listen(node)],
);
const ports = await Promise.all(listening);

answerQuestions((/** @type {{state: State, killed?: number}} */ wanted) => {
  // Nothing is forwarded between the end of the process and that of its links, because all of this is one turn of the event loop.
  if (wanted.killed !== undefined) process.kill(wanted.killed, 'SIGKILL');
  const back = state.lost.filter((id) => !wanted.state.lost.includes(id));
  for (const link of links) if (link.nodes.some((id) => back.includes(id))) link.drop();
  state = wanted.state;
  for (const each of lanes.values()) apply(each);
  for (const link of links) {
    link.dial();
    for (const line of link.lines) line.refresh();
  }
  return { ports, passed: [...lanes].map(([names, { lane }]) => [names, lane.passed]) };
});
