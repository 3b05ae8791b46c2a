/**
 * The `native` client: RESP on a plain socket, made so that the client is not what is measured.
 *
 * A batch is one prebuilt buffer into which only the key numbers are written. All sockets read into one shared
 * buffer, because a reply is taken apart before the next read can happen. Every reply is checked.
 */
import net from 'node:net';
import tls from 'node:tls';
import { Outcome } from './types.js';
import { classifyWriteError } from './outcome.js';
import { buildBatch, encodeCommand, writeKeyNumber } from './native-batch.js';
import { readReply, REPLY_INCOMPLETE } from './native-reply.js';
import { toolVersion } from '../measure/version.js';

/** @typedef {import('./types.js').Connection} Connection */

const CONNECT_TIMEOUT_MS = 5000;
const PLUS = 0x2b;
const LETTER_O = 0x4f;
const LETTER_K = 0x4b;
const CARRIAGE_RETURN = 0x0d;
const NEWLINE = 0x0a;
const OK_LENGTH = 5;
const NOTHING = Buffer.alloc(0);

/** Shared by all connections of a thread: what a read delivered is consumed before the next one. */
const readBuffer = Buffer.allocUnsafeSlow(256 * 1024);

/** @implements {Connection} */
class NativeConnection {
  /** @type {(error: string) => void} */
  onError = () => {};
  /** @type {() => void} */
  onBatch = () => {};
  waitCount = -1;
  lost = false;

  /** @type {net.Socket} */
  #socket;
  #shape;
  #batch;
  /** Writes of the batch under way that have been answered; -1: no batch is under way. */
  #answered = -1;
  #waitSent = false;
  /** The start of a reply whose end has not arrived. */
  #partial = NOTHING;
  /** @type {{resolve: (reply: string | null) => void, reject: (error: Error) => void} | null} */
  #request = null;

  /**
   * @param {net.Socket} socket
   * @param {import('./types.js').Shape} shape
   */
  constructor(socket, shape) {
    this.#socket = socket;
    this.#shape = shape;
    this.#batch = buildBatch(shape);
    this.keys = new Uint32Array(shape.pipeline);
    this.outcomes = new Uint8Array(shape.pipeline);
  }

  write() {
    const { writes, whole, keyOffsets } = this.#batch;
    const { keys } = this;
    if (this.lost) {
      this.outcomes.fill(Outcome.rejected);
      setImmediate(() => {
        this.onError('NOTSENT the connection was lost before');
        this.onBatch();
      });
      return;
    }
    for (let i = 0; i < keys.length; i++) writeKeyNumber(whole, keyOffsets[i], keys[i]);
    this.#answered = 0;
    this.waitCount = -1;
    this.#waitSent = this.#shape.waitReplicas > 0 && this.#shape.habit === 'one-flush';
    this.#socket.write(this.#waitSent ? whole : writes);
  }

  /** @param {number} key */
  read(key) {
    return this.request(['GET', `${this.#shape.keyPrefix}${String(key).padStart(9, '0')}`]);
  }

  /**
   * @param {number} replicas
   * @param {number} timeoutMs
   */
  async wait(replicas, timeoutMs) {
    return Number(await this.request(['WAIT', String(replicas), String(timeoutMs)]));
  }

  /** @param {string | null} text */
  setValue(text) {
    this.#batch.setValue(text);
  }

  /**
   * One command outside of batches.
   *
   * @param {string[]} command
   * @returns {Promise<string | null>} the reply as text
   * @throws {Error} an error reply's text, or a lost connection
   */
  request(command) {
    if (this.lost) return Promise.reject(new Error('CLOSED the connection was lost before'));
    return new Promise((resolve, reject) => {
      this.#request = { resolve, reject };
      this.#socket.write(encodeCommand(command));
    });
  }

  async close() {
    this.#lose('CLOSED by this side');
    this.#socket.destroy();
  }

  /**
   * @param {Buffer} chunk
   * @param {number} length
   */
  receive(chunk, length) {
    let buffer = chunk;
    let end = length;
    if (this.#partial.length > 0) {
      buffer = Buffer.concat([this.#partial, chunk.subarray(0, length)]);
      end = buffer.length;
      this.#partial = NOTHING;
    }
    let at = 0;
    const writes = this.keys.length;
    while (at < end) {
      // What nearly every reply is: +OK to a write.
      if (
        this.#answered >= 0 &&
        this.#answered < writes &&
        end - at >= OK_LENGTH &&
        buffer[at] === PLUS &&
        buffer[at + 1] === LETTER_O &&
        buffer[at + 2] === LETTER_K &&
        buffer[at + 3] === CARRIAGE_RETURN &&
        buffer[at + 4] === NEWLINE
      ) {
        this.outcomes[this.#answered++] = Outcome.acked;
        at += OK_LENGTH;
      } else {
        const reply = readReply(buffer, at, end);
        if (reply === REPLY_INCOMPLETE) {
          this.#partial = Buffer.from(buffer.subarray(at, end));
          return;
        }
        if (reply.kind === 'garbage') {
          this.#lose(`PROTOCOL ${reply.text}`);
          this.#socket.destroy();
          return;
        }
        at = reply.end;
        this.#take(reply);
      }
      if (this.#answered === writes) this.#writesAnswered(at === end);
      if (this.lost) return;
    }
  }

  /** @param {import('./native-reply.js').Reply} reply */
  #take(reply) {
    if (this.#request) {
      const { resolve, reject } = this.#request;
      this.#request = null;
      if (reply.kind === 'error') reject(new Error(reply.text));
      else resolve(reply.kind === 'null' ? null : reply.text);
    } else if (this.#answered >= 0 && this.#answered < this.keys.length) {
      this.outcomes[this.#answered++] = reply.kind === 'error' ? classifyWriteError(reply.text) : Outcome.unknown;
      this.onError(reply.kind === 'error' ? reply.text : `PROTOCOL a write was answered with ${reply.kind}`);
    } else if (this.#answered > this.keys.length) {
      if (reply.kind === 'integer') this.waitCount = Number(reply.text);
      else this.onError(reply.kind === 'error' ? reply.text : `PROTOCOL WAIT was answered with ${reply.kind}`);
      this.#finish();
    } else {
      this.#lose(`PROTOCOL a reply nobody asked for: ${reply.text.slice(0, 40)}`);
      this.#socket.destroy();
    }
  }

  /**
   * Every write of the batch has its answer; what is left is WAIT's.
   *
   * @param {boolean} nothingBuffered
   */
  #writesAnswered(nothingBuffered) {
    if (this.#shape.waitReplicas === 0) {
      this.#finish();
      return;
    }
    // One past the writes: the next reply is WAIT's.
    this.#answered++;
    if (this.#waitSent) return;
    this.#waitSent = true;
    if (nothingBuffered) this.#socket.write(this.#batch.wait);
    else this.#lose('PROTOCOL more replies than commands');
  }

  #finish() {
    const asked = this.#shape.waitReplicas;
    if (asked > 0 && this.waitCount < asked) this.#downgrade();
    this.#answered = -1;
    this.onBatch();
  }

  /** Answered OK, but the guarantee asked for was not reached. */
  #downgrade() {
    const { outcomes } = this;
    for (let i = 0; i < outcomes.length; i++) {
      if (outcomes[i] === Outcome.acked) outcomes[i] = Outcome.underAcked;
    }
  }

  /**
   * @param {string} why
   */
  #lose(why) {
    if (this.lost) return;
    this.lost = true;
    if (this.#request) {
      this.#request.reject(new Error(why));
      this.#request = null;
    }
    if (this.#answered < 0) return;
    const answered = Math.min(this.#answered, this.keys.length);
    this.outcomes.fill(Outcome.unknown, answered);
    if (this.#shape.waitReplicas > 0) this.#downgrade();
    this.#answered = -1;
    this.onError(why);
    this.onBatch();
  }

  /** @param {NodeJS.ErrnoException | null} error */
  disconnected(error) {
    this.#lose(error ? `${error.code ?? 'ERROR'} ${error.message}` : 'CLOSED by the server');
  }
}

/**
 * @param {import('./types.js').Target} target
 * @param {(chunk: Buffer, length: number) => void} receive
 * @returns {Promise<net.Socket>} connected
 * @throws {Error} refused, not resolved, or no answer within 5 s
 */
function openSocket({ host, port, credentials }, receive) {
  const secure = credentials?.tls;
  return new Promise((resolve, reject) => {
    /** @type {net.Socket} */
    let socket;
    if (secure) {
      socket = tls.connect({
        host,
        port,
        ca: secure.ca,
        cert: secure.cert,
        key: secure.key,
        servername: secure.serverName ?? (net.isIP(host) ? undefined : host),
        rejectUnauthorized: !secure.insecure,
      });
      // A TLS socket decrypts into buffers of its own.
      socket.on('data', (chunk) => receive(chunk, chunk.length));
    } else {
      socket = net.connect({
        host,
        port,
        onread: {
          buffer: readBuffer,
          callback: (length) => {
            receive(readBuffer, length);
            return true;
          },
        },
      });
    }
    socket.setNoDelay(true);
    const timer = setTimeout(() => {
      socket.destroy(new Error(`no connection to ${host}:${port} within ${CONNECT_TIMEOUT_MS / 1000} s`));
    }, CONNECT_TIMEOUT_MS);
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

/** @type {import('./types.js').Client} */
export const native = {
  name: 'native',
  version: toolVersion,
  async connect(target, shape) {
    /** @type {NativeConnection | undefined} */
    let connection;
    const socket = await openSocket(target, (chunk, length) => connection?.receive(chunk, length));
    connection = new NativeConnection(socket, shape);
    /** @type {Error | null} */
    let lastError = null;
    socket.on('error', (error) => {
      lastError = error;
    });
    socket.on('close', () => connection.disconnected(lastError));
    const { username, password } = target.credentials ?? {};
    if (password !== undefined) {
      try {
        await connection.request(username === undefined ? ['AUTH', password] : ['AUTH', username, password]);
      } catch (error) {
        await connection.close();
        throw error;
      }
    }
    return connection;
  },
};
