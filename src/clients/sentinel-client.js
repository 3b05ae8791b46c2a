/**
 * What the Sentinel clients of the libraries have in common: their interface, and which node a socket is connected to.
 * @import { Socket } from 'node:net'
 * @import { Address, Credentials } from '../stacks/types.js'
 * @typedef {Object} SentinelOptions
 * @property {Address[]} sentinels @property {{address: Address, announced: Address}[]} nodes the Redis nodes @property {string} masterName
 * @property {Credentials} credentials
 * @property {(node: number) => void} onMove there is a new connection to this node: its place in `nodes`, counted from 1; 0: none of them
 * @typedef {Object} SentinelClient connected
 * @property {(key: string, value: string) => Promise<unknown>} append
 * @property {(command: string[]) => Promise<unknown>} call any command, on the primary
 * @property {number} generation of the connection that answered last: no two connections have the same
 * @property {number} node to which it is connected, as in `onMove`; 0 also: not connected
 * @property {(error: unknown) => boolean} isReply it is an error reply @property {() => Promise<void>} destroy idempotent; leaves no socket
 */
import diagnostics from 'node:diagnostics_channel';
import pTimeout from 'p-timeout';
import { orUndo } from '../wait.js';

/** Waits until it reached the primary. @param {Promise<unknown>} connecting @param {() => Promise<void>} destroy called if not within 5 s */
export async function connected(connecting, destroy) {
  await orUndo(pTimeout(connecting, { milliseconds: 5000, message: 'not within 5 s' }), destroy);
}

/** The host names that sockets dialled: a connected socket only knows an address. @type {WeakMap<object, string>} */
const dialledNames = new WeakMap();

// TLS sockets are not announced here.
diagnostics.subscribe('net.client.socket', (message) => {
  const { socket } = /** @type {{socket: Socket}} */ (message);
  socket.once('lookup', (_error, _address, _family, host) => dialledNames.set(socket, host));
});

/**
 * @param {{address: Address}[]} nodes @param {{remoteAddress?: string, remotePort?: number}} socket connected
 * @returns {number} its place in `nodes`, counted from 1; 0: none of them. Of a node with a host name, the name that the socket dialled
 *   decides. If that is not known, its port does, provided that no other node has the same
 */
export function nodeNumber(nodes, socket) {
  const { remoteAddress, remotePort } = socket;
  const hosts = [remoteAddress, dialledNames.get(socket)];
  const exact = nodes.findIndex(({ address }) => hosts.includes(address.host) && address.port === remotePort);
  if (exact >= 0) return exact + 1;
  const samePort = nodes.filter(({ address }) => address.port === remotePort);
  return samePort.length === 1 ? nodes.indexOf(samePort[0]) + 1 : 0;
}
