/**
 * The wire's thread: whoever dials its port is led to one address, all that passes is counted, and shaped when asked for.
 */
import { createServer, Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { combine, createLane } from '../cluster/relay-lane.js';
import { createLine } from '../cluster/relay-line.js';
import { createRota } from '../cluster/relay-rota.js';

/**
 * @typedef {import('../cluster/types.js').LinkShape} LinkShape
 *
 * @typedef {Object} Order
 * @property {number} serial
 * @property {LinkShape | null} [shape] from now on
 * @property {true} [cut] from now on, for good
 *
 * @typedef {{toReplicaBytes: number, toPrimaryBytes: number}} Counts
 */

const LOOPBACK = '127.0.0.1';

const SOCKET_BUFFER_BYTES = 256 * 1024;

/** @type {{to: import('../cluster/types.js').Address}} */
const { to } = workerData;

const toPrimary = createLane();
const toReplica = createLane();
const wake = createRota();

/** Connections that are open. @type {Set<{inbound: Socket, outbound: Socket, lines: import('../cluster/relay-line.js').Line[]}>} */
const links = new Set();

/** What those carried that are open no more. @type {Counts} */
const ended = { toReplicaBytes: 0, toPrimaryBytes: 0 };

/** @returns {Counts} what has been put on the wire, not what waits before it */
function counts() {
  const sum = { ...ended };
  for (const { inbound, outbound } of links) {
    sum.toReplicaBytes += inbound.bytesWritten ?? 0;
    sum.toPrimaryBytes += outbound.bytesWritten ?? 0;
  }
  return sum;
}

/** @param {Socket} inbound paused */
function relay(inbound) {
  // The types leave out what sockets hand on to streams.
  const options = { allowHalfOpen: true, highWaterMark: SOCKET_BUFFER_BYTES };
  const outbound = new Socket(options);
  outbound.pause();
  const lines = [createLine(inbound, outbound, toPrimary, wake), createLine(outbound, inbound, toReplica, wake)];
  const link = { inbound, outbound, lines };
  links.add(link);
  for (const socket of [inbound, outbound]) {
    socket.setNoDelay(true);
    // What it was is of no matter here: the socket closes, and so does then the other.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (!inbound.destroyed || !outbound.destroyed || !links.delete(link)) return;
      ended.toReplicaBytes += inbound.bytesWritten ?? 0;
      ended.toPrimaryBytes += outbound.bytesWritten ?? 0;
    });
  }
  // On a wire that is cut nobody is reached.
  if (!toPrimary.held) outbound.connect(to);
  for (const line of lines) line.refresh();
}

parentPort?.on('message', ({ serial, shape, cut }) => {
  if (cut) {
    toPrimary.held = true;
    toReplica.held = true;
  }
  if (shape !== undefined) for (const lane of [toPrimary, toReplica]) lane.reshape(combine([shape ?? undefined]));
  if (cut || shape !== undefined) for (const { lines } of links) for (const line of lines) line.refresh();
  parentPort?.postMessage({ serial, counts: counts() });
});

const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, highWaterMark: SOCKET_BUFFER_BYTES }, relay);
server.listen({ host: LOOPBACK, port: 0 }, () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  parentPort?.postMessage({ serial: 0, port });
});
