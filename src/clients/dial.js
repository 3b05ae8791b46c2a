/**
 * A plain or TLS socket to a node, connected and logged in.
 */
import net from 'node:net';
import tls from 'node:tls';
import { authCommand } from '../resp/writer.js';
import { reach } from './reach.js';

/** @import { UserError } from '../errors.js' */

/**
 * @import { Target } from './types.js'
 *
 * @typedef {Object} Dialled what speaks on the socket
 * @property {(chunk: Buffer, length: number) => void} receive takes what was read; `chunk` is used again afterwards
 * @property {(words: string[]) => Promise<unknown>} request rejects with an error reply's text
 * @property {(cause: Error | null) => void} disconnected called once, with what the socket said; null: the server closed it
 * @property {(reason?: Error) => unknown} close idempotent
 */

/** Shared by all connections of a thread: what a read delivered is taken apart before the next one can happen. */
const readBuffer = Buffer.allocUnsafeSlow(256 * 1024);

/**
 * @template {Dialled} T
 * @param {Target} target
 * @param {(socket: net.Socket) => T} attach
 * @param {Object} [options]
 * @param {AbortSignal} [options.signal] closes the connection with its reason, now or later
 * @param {(connection: T) => Promise<unknown>} [options.greet] part of connecting, after the login
 * @returns {Promise<T>} connected and logged in
 * @throws {UserError} the node cannot be reached within 5 s
 */
export async function dial(target, attach, { signal, greet } = {}) {
  signal?.throwIfAborted();
  /** @type {Error | null} */
  let cause = null;
  const socket = openSocket(target, (chunk, length) => connection.receive(chunk, length));
  const connection = attach(socket);
  const abandon = () => connection.close(signal?.reason);
  signal?.addEventListener('abort', abandon, { once: true });
  const connecting = new Promise((resolve, reject) => {
    socket.once(target.credentials?.tls ? 'secureConnect' : 'connect', resolve);
    socket.on('error', (error) => {
      cause = error;
      reject(error);
    });
    socket.on('close', () => {
      signal?.removeEventListener('abort', abandon);
      connection.disconnected(cause);
      reject(cause ?? new Error('closed by the server'));
    });
  });
  const { username, password } = target.credentials ?? {};
  const logIn = async () => {
    if (password !== undefined) await connection.request(authCommand(username, password));
    await greet?.(connection);
  };
  try {
    await reach(target, connecting.then(logIn), () => connection.close());
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  return connection;
}

/**
 * @param {Target} target
 * @param {(chunk: Buffer, length: number) => void} receive
 * @returns {net.Socket} connecting
 */
function openSocket({ host, port, credentials }, receive) {
  const secure = credentials?.tls;
  if (!secure) {
    /** @param {number} length */
    const callback = (length) => {
      receive(readBuffer, length);
      return true;
    };
    return net.connect({ host, port, noDelay: true, onread: { buffer: readBuffer, callback } });
  }
  const socket = tls.connect({
    host,
    port,
    ca: secure.ca,
    cert: secure.cert,
    key: secure.key,
    servername: secure.serverName,
    rejectUnauthorized: !secure.insecure,
  });
  socket.setNoDelay(true);
  // A TLS socket decrypts into buffers of its own.
  socket.on('data', (chunk) => receive(chunk, chunk.length));
  return socket;
}
