/**
 * The relay's thread. It listens on a port for each node, which the node's peers dial, and forwards to the node's real port. Each node
 * dials from an address of its own, by which the relay knows it. Connections from other addresses pass, neither held nor slowed.
 * Each message carries the whole state, so repeating one does no harm. The thread answers when the state is in force.
 * @import { LinkShape } from '../../types.js'
 * @import { AddressInfo } from 'node:net'
 * @typedef {{partitioned: string[], lost: string[], all: LinkShape | null, nodes: Record<string, LinkShape>}} State partitioned: ids of
 *   nodes; lost: ids of nodes whose machine is gone; all: the shape of every link; nodes: on top of that, for the links of these nodes
 * @typedef {{id: string, source: string, port?: number}} RelayedNode source: the address it dials from; port: its real one. Absent: nobody
 *   dials it
 */
import { createServer, Socket } from 'node:net';
import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../../../worker-thread.js';
import { LOOPBACK } from '../../address.js';
import { combine, createRota, Lane, Line } from './relay-line.js';

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
  const made = { from, to, lane: new Lane() };
  lanes.set(key, made);
  apply(made);
  return made.lane;
}

function apply(/** @type {{from: string, to: string, lane: Lane}} */ { from, to, lane }) {
  lane.held = [from, to].some((id) => state.partitioned.includes(id) || state.lost.includes(id));
  lane.reshape(combine([state.all ?? undefined, state.nodes[from], state.nodes[to]]));
}

const wake = createRota();

class Link {
  #inbound;
  /** To the node. Its types lack the options that sockets pass on to streams. */
  #outbound = new Socket(/** @type {{}} */ ({ allowHalfOpen: true, highWaterMark: SOCKET_BUFFER_BYTES }));
  #port;
  /** To the node that was dialled. */
  #lane;
  #lines;
  #dialled = false;

  /** @param {RelayedNode} node that was dialled @param {Socket} inbound paused @param {RelayedNode} [peer] that dialled; or a stranger */
  constructor(node, inbound, peer) {
    /** Ids of its two ends; one, if a stranger dialled. */
    this.nodes = peer ? [peer.id, node.id] : [node.id];
    this.#inbound = inbound;
    this.#port = Number(node.port);
    this.#outbound.pause();
    for (const socket of [inbound, this.#outbound]) {
      socket.setNoDelay(true);
      // After an error the socket closes, and then the other one does, too.
      socket.on('error', () => {});
      socket.on('close', () => {
        if (inbound.destroyed && this.#outbound.destroyed) links.delete(this);
      });
    }
    this.#lane = peer ? laneBetween(peer.id, node.id) : new Lane();
    const back = peer ? laneBetween(node.id, peer.id) : new Lane();
    links.add(this);
    this.#dial();
    this.#lines = [new Line(inbound, this.#outbound, this.#lane, wake), new Line(this.#outbound, inbound, back, wake)];
    for (const line of this.#lines) line.refresh();
  }

  refresh() {
    this.#dial();
    for (const line of this.#lines) line.refresh();
  }

  #dial() {
    if (this.#dialled || this.#lane.held) return;
    this.#dialled = true;
    // A peer that gave up while it was cut off never reaches the node.
    if (this.#inbound.destroyed) this.#outbound.destroy();
    else this.#outbound.connect({ host: LOOPBACK, port: this.#port });
  }

  /** Closes both ends, with all that is under way. */
  drop() {
    // A peer that dialled while the node was away reaches it when it is back.
    if (!this.#dialled) return;
    this.#inbound.destroy();
    this.#outbound.destroy();
  }
}

/**
 * @param {RelayedNode} node @param {RelayedNode} [peer] the only one that dials this port; default: all do, each from its own address
 * @returns {Promise<[string, number]>} what `Relay.ports` has
 */
function listen(node, peer) {
  return new Promise((resolve, reject) => {
    const server = createServer(
      { allowHalfOpen: true, pauseOnConnect: true, highWaterMark: SOCKET_BUFFER_BYTES },
      (inbound) => new Link(node, inbound, peer ?? nodes.find(({ source }) => source === inbound.remoteAddress)),
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
  for (const link of links) link.refresh();
  return { ports, passed: [...lanes].map(([names, { lane }]) => [names, lane.passed]) };
});
