/** The wire's thread: it connects clients of its port to one address, counts the bytes, and shapes them on request. */
import { once } from 'node:events';
import { createServer, Socket } from 'node:net';
import { workerData } from 'node:worker_threads';
import { LOOPBACK } from '../../../src/stacks/address.js';
import { combine, createLane, createLine, createRota } from '../../../src/stacks/relay/relay-line.js';
import { answerQuestions } from '../../../src/worker-thread.js';

/**
 * @import { Line } from '../../../src/stacks/relay/relay-line.js'
 * @import { Address, LinkShape } from '../../../src/stacks/types.js'
 * @import { AddressInfo } from 'node:net'
 */

/**
 * @typedef {Object} Order
 * @property {LinkShape | null} [shape] from now on
 * @property {true} [cut] from now on, for good
 * @property {boolean} [dark] from now on: nothing passes, and nothing is lost
 *
 * @typedef {{toReplicaBytes: number, toPrimaryBytes: number}} Counts
 */

const SOCKET_BUFFER_BYTES = 256 * 1024;

/** @type {{to: Address}} */
const { to } = workerData;

const toPrimary = createLane();
const toReplica = createLane();
const wake = createRota();

/** @typedef {{inbound: Socket, outbound: Socket, lines: Line[]}} OpenLink */

/** Connections that are open. @type {Set<OpenLink>} */
const links = new Set();

/** Those that were made in the dark. @type {Set<OpenLink>} */
const waiting = new Set();

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
  // A cut or dark wire reaches no address.
  if (!toPrimary.held) outbound.connect(to);
  else waiting.add(link);
  for (const line of lines) line.refresh();
}

/** A client that gave up in the dark is not connected any more. */
function connectWaiting() {
  for (const { inbound, outbound } of waiting) {
    if (inbound.destroyed) outbound.destroy();
    else outbound.connect(to);
  }
  waiting.clear();
}

const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, highWaterMark: SOCKET_BUFFER_BYTES }, relay);
await once(server.listen({ host: LOOPBACK, port: 0 }), 'listening');
const { port } = /** @type {AddressInfo} */ (server.address());

answerQuestions((/** @type {Order} */ { shape, cut, dark = cut }) => {
  if (dark !== undefined) {
    toPrimary.held = dark;
    toReplica.held = dark;
    if (!dark) connectWaiting();
  }
  if (shape !== undefined) for (const lane of [toPrimary, toReplica]) lane.reshape(combine([shape ?? undefined]));
  if (dark !== undefined || shape !== undefined)
    for (const { lines } of links) for (const line of lines) line.refresh();
  return { port, counts: counts() };
});
