/** The commands that the clients of this thread send, read from what they write to their sockets, with TLS and without. */
import net from 'node:net';
import { ReplyReader } from '../../resp/reader.js';

/** @typedef {(command: string[], socket: net.Socket) => void} CommandListener called with a command and its arguments before it is sent */

const listeners = /** @type {Set<CommandListener>} */ (new Set());
/** Null: what it sends is not RESP. @type {WeakMap<net.Socket, ReplyReader | null>} */
const readers = new WeakMap();

/** @param {CommandListener} listener @returns {() => void} ends it; idempotent */
export function watchCommands(listener) {
  if (listeners.size === 0) replaceWrite();
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    // The inherited one is there again.
    if (listeners.size === 0 && Object.hasOwn(net.Socket.prototype, 'write'))
      Reflect.deleteProperty(net.Socket.prototype, 'write');
  };
}

/** Sockets inherit `write` from streams, so they get one of their own. */
function replaceWrite() {
  const { write } = net.Socket.prototype;
  /** @type {(this: net.Socket, ...args: Parameters<net.Socket['write']>) => boolean} */
  const lookAndWrite = function (...args) {
    look(this, args[0]);
    return write.apply(this, args);
  };
  net.Socket.prototype.write = /** @type {net.Socket['write']} */ (lookAndWrite);
}

/** @param {net.Socket} socket @param {string | Uint8Array} chunk */
function look(socket, chunk) {
  let reader = readers.get(socket);
  if (reader === undefined) {
    // A command has the form of a reply: an array of bulk strings.
    reader = new ReplyReader((command) => {
      if (!Array.isArray(command)) return;
      const words = command.map(String);
      for (const listener of listeners) listener(words, socket);
    });
    readers.set(socket, reader);
  }
  try {
    reader?.receive(Buffer.from(chunk));
  } catch {
    readers.set(socket, null);
  }
}
