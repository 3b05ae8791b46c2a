/**
 * The host names that sockets of this thread dialled. A connected socket only knows an address, and a name may mean another one later.
 */
import diagnostics from 'node:diagnostics_channel';

/** @import { Socket } from 'node:net' */

/** @type {WeakMap<object, string>} */
const names = new WeakMap();

// TLS sockets are not announced here.
diagnostics.subscribe('net.client.socket', (message) => {
  const { socket } = /** @type {{socket: Socket}} */ (message);
  socket.once('lookup', (_error, _address, _family, host) => names.set(socket, host));
});

/** @param {object} socket @returns {string | undefined} undefined: it dialled an address, or this is not known */
export function dialledName(socket) {
  return names.get(socket);
}
