/**
 * Connecting to a node within a deadline: a plain or TLS socket of our own, connected and logged in, or a library's connection.
 * @import { ConnectionOptions } from 'node:tls'
 * @import { TlsOptions } from '../stacks/types.js'
 * @import { Target } from './types.js'
 * @typedef {Object} Dialled the connection on the socket
 * @property {(chunk: Buffer, length: number) => void} receive takes what was read; `chunk` is reused afterwards
 * @property {(words: string[]) => Promise<unknown>} request rejects with an error reply's text
 * @property {(cause: Error | null) => void} disconnected called once, with the socket's error; null: the server closed it
 * @property {(reason?: Error) => unknown} close idempotent
 */
import net from 'node:net';
import tls from 'node:tls';
import pTimeout from 'p-timeout';
import { messageOf, ownFault, UserError } from '../errors.js';
import { authCommand } from '../resp/writer.js';
import { keepSecret } from '../untrusted.js';

export const CONNECT_TIMEOUT_MS = 5000;

/** Shared by all connections of a thread: each chunk is parsed before the next read. */
const readBuffer = Buffer.allocUnsafeSlow(256 * 1024);

/**
 * @template {Dialled} T @param {Target} target @param {(socket: net.Socket) => T} attach
 * @param {{signal?: AbortSignal, greet?: (connection: T) => Promise<unknown>}} [options] signal: closes the connection with its reason, now
 *   or later; greet: part of connecting, after the login
 * @returns {Promise<T>} connected and logged in @throws {UserError} the node cannot be reached within 5 s
 */
export async function dial(target, attach, { signal, greet } = {}) {
  signal?.throwIfAborted();
  let cause = /** @type {Error | null} */ (null);
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

/** @param {Target} target @param {(chunk: Buffer, length: number) => void} receive @returns {net.Socket} connecting */
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
  const socket = tls.connect({ host, port, ...tlsConnectOptions(secure) });
  socket.setNoDelay(true);
  // A TLS socket decrypts into its own buffers.
  socket.on('data', (chunk) => receive(chunk, chunk.length));
  return socket;
}

/** @param {TlsOptions} tls as the user gave them @returns {ConnectionOptions} for Node's TLS */
export function tlsConnectOptions({ ca, cert, key, serverName, insecure }) {
  return { ca, cert, key, servername: serverName, rejectUnauthorized: !insecure };
}

/**
 * Waits for a connection, but only until a deadline: the kernel of a paused node accepts connections, and the node never answers.
 * @param {Target} target @param {Promise<unknown>} connecting
 * @param {() => unknown} drop abandons the attempt; called when it failed or took longer than {@link CONNECT_TIMEOUT_MS}
 * @param {() => unknown} [reason] the error that made `connecting` reject, if the library reports it elsewhere
 * @throws {UserError} without a `cause`: the libraries' errors carry the login's arguments
 */
export async function reach(target, connecting, drop, reason) {
  keepSecret(target.credentials?.password);
  const message = `no answer within ${CONNECT_TIMEOUT_MS / 1000} s`;
  try {
    await pTimeout(connecting, { milliseconds: CONNECT_TIMEOUT_MS, message });
  } catch (error) {
    await drop();
    throw cannotConnect(target, reason?.() ?? error);
  }
}

/** @param {Target} target @param {unknown} error of the socket, the server or the library */
function cannotConnect(target, error) {
  const fault = ownFault(error);
  if (fault) return new UserError(`Cannot connect to ${target.host}:${target.port}: ${fault.what}.`, fault.remedy);
  const remedy = /^(?:NOAUTH|WRONGPASS|NOPERM|ERR AUTH)\b/.test(messageOf(error))
    ? 'Check the user name and the password.'
    : 'Check that a Redis node listens at this address, and with or without TLS as you asked for.';
  return new UserError(`Cannot connect to ${target.host}:${target.port}: ${messageOf(error)}.`, remedy);
}
