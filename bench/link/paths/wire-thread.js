/**
 * The wire's thread: it connects clients of its port to one address, counts the bytes, and shapes them on request.
 */
import { createServer, Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { combine, createLane, createLine, createRota } from '../../../src/stacks/redis/relay/relay-line.js';

/**
 * @import { Line } from '../../../src/stacks/redis/relay/relay-line.js'
 * @import { Address, LinkShape } from '../../../src/stacks/types.js'
 * @import { AddressInfo } from 'node:net'
 */

/**
 * @typedef {Object} Order
 * @property {number} serial
 * @property {LinkShape | null} [shape] from now on
 * @property {true} [cut] from now on, for good
 *
 * @typedef {{toReplicaBytes: number, toPrimaryBytes: number}} Counts
 */

const LOOPBACK = '127.0.0.1';

const SOCKET_BUFFER_BYTES = 256 * 1024;

/** @type {{to: Address}} */
const { to } = workerData;

const toPrimary = createLane();
const toReplica = createLane();
const wake = createRota();

/** Connections that are open. @type {Set<{inbound: Socket, outbound: Socket, lines: Line[]}>} */
const links = new Set();

/** Bytes of closed connections. @type {Counts} */
const ended = { toReplicaBytes: 0, toPrimaryBytes: 0 };

/** @returns {Counts} bytes put on the wire, without those that wait */
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
  // The types lack the stream options of sockets.
  const options = { allowHalfOpen: true, highWaterMark: SOCKET_BUFFER_BYTES };
  const outbound = new Socket(options);
  outbound.pause();
  const lines = [createLine(inbound, outbound, toPrimary, wake), createLine(outbound, inbound, toReplica, wake)];
  const link = { inbound, outbound, lines };
  links.add(link);
  for (const socket of [inbound, outbound]) {
    socket.setNoDelay(true);
    // The socket closes after any error, and then the other one.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (!inbound.destroyed || !outbound.destroyed || !links.delete(link)) return;
      ended.toReplicaBytes += inbound.bytesWritten ?? 0;
      ended.toPrimaryBytes += outbound.bytesWritten ?? 0;
    });
  }
  // A cut wire reaches no address.
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
  const { port } = /** @type {AddressInfo} */ (server.address());
  parentPort?.postMessage({ serial: 0, port });
});
