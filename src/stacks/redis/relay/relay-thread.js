/**
 * The relay's thread: each node's peers dial a port of its here, and are led to its real one. Who dials is known by the
 * source address, of which each node has its own. A stranger is let through, neither held nor slowed.
 *
 * It is told the whole state each time, which makes telling it twice harmless, and answers when that is in force.
 */
import { createServer, Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { combine, createLane } from './relay-lane.js';
import { createLine } from './relay-line.js';
import { createRota } from './relay-rota.js';

/**
 * @import { LinkShape } from '../../types.js'
 * @import { Lane } from './relay-lane.js'
 * @import { Line } from './relay-line.js'
 * @import { AddressInfo } from 'node:net'
 */

/**
 * @typedef {Object} State
 * @property {string[]} cut ids of nodes
 * @property {LinkShape | null} all what lies on every link
 * @property {Record<string, LinkShape>} nodes on top of that, on the links of these
 *
 * @typedef {{id: string, source: string, port: number}} RelayedNode `source`: the address it dials from; `port`: its real one
 *
 * @typedef {Object} Link one connection
 * @property {Lane} lane to the node that was dialled
 * @property {() => void} dial
 * @property {Line[]} lines
 */

const LOOPBACK = '127.0.0.1';

const SOCKET_BUFFER_BYTES = 256 * 1024;

/** @type {{nodes: RelayedNode[]}} */
const { nodes } = workerData;

/** @type {State} */
let state = { cut: [], all: null, nodes: {} };

/** @type {Set<Link>} */
const links = new Set();

/** @type {Map<string, {from: string, to: string, lane: Lane}>} one for each pair of nodes and each direction */
const lanes = new Map();

/**
 * @param {string} from id of a node
 * @param {string} to
 * @returns {Lane}
 */
function laneBetween(from, to) {
  const key = `${from} ${to}`;
  const known = lanes.get(key);
  if (known) return known.lane;
  const made = { from, to, lane: createLane() };
  lanes.set(key, made);
  apply(made);
  return made.lane;
}

/** @param {{from: string, to: string, lane: Lane}} known */
function apply({ from, to, lane }) {
  lane.held = state.cut.includes(from) || state.cut.includes(to);
  lane.reshape(combine([state.all ?? undefined, state.nodes[from], state.nodes[to]]));
}

const wake = createRota();

/**
 * @param {RelayedNode} node that was dialled
 * @param {Socket} inbound paused
 */
function relay(node, inbound) {
  const peer = nodes.find(({ source }) => source === inbound.remoteAddress);
  // The types leave out what sockets hand on to streams.
  const options = { allowHalfOpen: true, highWaterMark: SOCKET_BUFFER_BYTES };
  const outbound = new Socket(options);
  outbound.pause();
  for (const socket of [inbound, outbound]) {
    socket.setNoDelay(true);
    // What it was is of no matter here: the socket closes, and so does then the other.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (inbound.destroyed && outbound.destroyed) links.delete(link);
    });
  }
  const lane = peer ? laneBetween(peer.id, node.id) : createLane();
  let dialled = false;
  /** @type {Link} */
  const link = {
    lane,
    dial() {
      if (dialled || lane.held) return;
      dialled = true;
      // Whoever was cut and has given up since is not heard of.
      if (inbound.destroyed) outbound.destroy();
      else outbound.connect({ host: LOOPBACK, port: node.port });
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
 * @param {RelayedNode} node
 * @returns {Promise<[string, number]>} the node's id and the port that its peers dial
 */
function listen(node) {
  return new Promise((resolve, reject) => {
    const server = createServer(
      { allowHalfOpen: true, pauseOnConnect: true, highWaterMark: SOCKET_BUFFER_BYTES },
      (inbound) => relay(node, inbound),
    );
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port: 0 }, () => {
      resolve([node.id, /** @type {AddressInfo} */ (server.address()).port]);
    });
  });
}

parentPort?.on('message', (/** @type {{serial: number, state: State}} */ told) => {
  state = told.state;
  for (const each of lanes.values()) apply(each);
  for (const link of links) {
    link.dial();
    for (const line of link.lines) line.refresh();
  }
  parentPort?.postMessage({ serial: told.serial });
});

parentPort?.postMessage({ serial: 0, ports: await Promise.all(nodes.map(listen)) });
