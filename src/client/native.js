/**
 * The `native` client: RESP on a plain socket, made so that the client is not what is measured.
 */
import net from 'node:net';
import tls from 'node:tls';
import { toolVersion } from '../measure/version.js';
import { NativeConnection } from './native-connection.js';
import { reach } from './reach.js';

/** Shared by all connections of a thread: what a read delivered is taken apart before the next one can happen. */
const readBuffer = Buffer.allocUnsafeSlow(256 * 1024);

/**
 * @param {import('./types.js').Target} target
 * @param {(chunk: Buffer, length: number) => void} receive
 * @returns {net.Socket} connecting
 */
export function openSocket({ host, port, credentials }, receive) {
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

/** @type {import('./types.js').Client} */
export const native = {
  name: 'native',
  version: toolVersion,
  async connect(target, shape) {
    /** @type {Error | null} */
    let cause = null;
    const socket = openSocket(target, (chunk, length) => connection.receive(chunk, length));
    const connection = new NativeConnection(socket, shape);
    const connecting = new Promise((resolve, reject) => {
      socket.once(target.credentials?.tls ? 'secureConnect' : 'connect', resolve);
      socket.on('error', (error) => {
        cause = error;
        reject(error);
      });
      socket.on('close', () => connection.disconnected(cause));
    });
    const { username, password } = target.credentials ?? {};
    const logIn = async () => {
      if (password === undefined) return;
      await connection.request(username === undefined ? ['AUTH', password] : ['AUTH', username, password]);
    };
    const ready = connecting.then(logIn);
    await reach(target, ready, () => connection.close());
    return connection;
  },
};
