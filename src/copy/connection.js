/**
 * A connection for pipelines of any commands whose keys and values may hold any byte.
 */
import { openSocket } from '../client/native.js';
import { reach, textOf } from '../client/reach.js';
import { ErrorReply, encodeCommands, ReplyReader } from './resp.js';

/**
 * @typedef {import('./resp.js').Reply} Reply
 * @typedef {import('./resp.js').Word} Word
 */

/** A node from which nothing has come for so long, although something was asked, is as good as gone. */
const SILENCE_MS = 10_000;

export class Connection {
  /** Told of replies that nobody asked for: messages to a subscriber. @type {((reply: Reply) => void) | null} */
  onMessage = null;
  /** Told once when it is over, why. @type {(error: Error) => void} */
  onEnd = () => {};

  #socket;
  #name;
  #secure;
  /** Not told of the abort any more. */
  #forget;
  #reader = new ReplyReader((reply) => this.#take(reply));
  /** @type {{replies: Reply[], left: number, resolve: (replies: Reply[]) => void, reject: (error: Error) => void}[]} */
  #asked = [];
  /** @type {Error | null} */
  #over = null;

  /**
   * @param {import('../client/types.js').Target} target
   * @param {AbortSignal} [signal]
   */
  constructor(target, signal) {
    const abandon = () => this.fail(signal?.reason);
    signal?.addEventListener('abort', abandon, { once: true });
    this.#forget = () => signal?.removeEventListener('abort', abandon);
    this.#secure = target.credentials?.tls !== undefined;
    this.#name = `${target.host}:${target.port}`;
    // What arrives lies in a buffer that the next read uses again.
    this.#socket = openSocket(target, (chunk, length) => this.#receive(Buffer.from(chunk.subarray(0, length))));
    this.#socket.on('error', (error) => this.fail(new Error(`${this.#name} was lost: ${textOf(error)}`)));
    this.#socket.on('close', () => this.fail(new Error(`${this.#name} closed the connection`)));
    this.#socket.setTimeout(SILENCE_MS, () => {
      if (this.#asked.length > 0) this.fail(new Error(`${this.#name} did not answer for ${SILENCE_MS / 1000} s`));
    });
  }

  get bytesRead() {
    return this.#socket.bytesRead;
  }

  get bytesWritten() {
    return this.#socket.bytesWritten;
  }

  /** @returns {Promise<void>} */
  connected() {
    return new Promise((resolve, reject) => {
      this.#socket.once(this.#secure ? 'secureConnect' : 'connect', () => resolve());
      this.#socket.once('error', reject);
      this.#socket.once('close', () => reject(this.#over ?? new Error(`${this.#name} closed the connection`)));
    });
  }

  /**
   * @param {readonly (readonly Word[])[]} commands
   * @returns {Promise<Reply[]>} one for each; error replies are among them. Rejects when the connection is lost
   */
  pipeline(commands) {
    if (this.#over) return Promise.reject(this.#over);
    if (commands.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#asked.push({ replies: [], left: commands.length, resolve, reject });
      this.#socket.write(encodeCommands(commands));
    });
  }

  /**
   * @param {...Word} words
   * @returns {Promise<Reply>} rejects with an {@link ErrorReply}, too
   */
  async call(...words) {
    const [reply] = await this.pipeline([words]);
    if (reply instanceof ErrorReply) throw reply;
    return reply;
  }

  /**
   * Ends it: what is under way rejects with `error`.
   *
   * @param {Error} error
   */
  fail(error) {
    if (this.#over) return;
    this.#over = error;
    this.#socket.destroy();
    this.#forget();
    for (const { reject } of this.#asked.splice(0)) reject(error);
    this.onEnd(error);
  }

  close() {
    this.fail(new Error('closed by this side'));
  }

  /** @param {Buffer} chunk */
  #receive(chunk) {
    if (this.#over) return;
    try {
      this.#reader.receive(chunk);
    } catch (error) {
      this.fail(/** @type {Error} */ (error));
    }
  }

  /** @param {Reply} reply */
  #take(reply) {
    const first = this.#asked[0];
    if (!first) {
      if (!this.onMessage) throw new Error(`${this.#name} sent a reply that nobody asked for`);
      this.onMessage(reply);
      return;
    }
    first.replies.push(reply);
    if (--first.left > 0) return;
    this.#asked.shift();
    first.resolve(first.replies);
  }
}

/**
 * @param {import('../client/types.js').Target} target
 * @param {AbortSignal} [signal] ends the connection; what is under way rejects with its reason
 * @returns {Promise<Connection>} logged in
 */
export async function connect(target, signal) {
  signal?.throwIfAborted();
  const connection = new Connection(target, signal);
  const { username, password } = target.credentials ?? {};
  const logIn = async () => {
    if (password !== undefined) await connection.call('AUTH', ...(username === undefined ? [] : [username]), password);
  };
  try {
    await reach(target, connection.connected().then(logIn), () => connection.close());
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  return connection;
}

/**
 * @param {Connection} connection
 * @param {string} section of INFO
 * @returns {Promise<Record<string, string>>}
 */
export async function infoOf(connection, section) {
  const text = String(await connection.call('INFO', section));
  return Object.fromEntries(
    [...text.matchAll(/^([^#:\r\n][^:\r\n]*):(.*?)\r?$/gm)].map(([, key, value]) => [key, value]),
  );
}

/**
 * @param {Connection} connection
 * @returns {Promise<boolean>} the server is so new (Redis 7.0, any Valkey) that it tells the very millisecond of an expiry
 */
export async function knowsExpireTime(connection) {
  const { redis_version: version = '' } = await infoOf(connection, 'server');
  return Number(version.split('.')[0]) >= 7;
}
