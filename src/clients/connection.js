/**
 * A connection for pipelines of any commands; keys and values may hold any byte.
 * @import { UserError } from '../errors.js'
 * @import { Socket } from 'node:net'
 * @import { Target } from './types.js'
 * @import { Reply } from '../resp/reader.js'
 * @import { Word } from '../resp/writer.js'
 */
import { messageOf } from '../errors.js';
import { parseInfo } from '../resp/info.js';
import { ErrorReply, ReplyReader } from '../resp/reader.js';
import { encodeCommands } from '../resp/writer.js';
import { dial } from './dial.js';

const SILENCE_MS = 10_000;

export class Connection {
  /** For replies without a command: messages to a subscriber. @type {((reply: Reply) => void) | null} */
  onMessage = null;
  /** Called once when the connection has ended, with the reason. @type {(error: Error) => void} */
  onEnd = () => {};

  #socket;
  #name;
  #reader;
  /** @type {{replies: Reply[], left: number, resolve: (replies: Reply[]) => void, reject: (error: Error) => void}[]} */
  #asked = [];
  #over = /** @type {Error | null} */ (null);

  /**
   * @param {Socket} socket @param {string} name of the node, for errors @param {number} silenceMs 0: it may be silent for ever
   * @param {number} [mostBytes] longer strings are dropped: their length is the reply
   */
  constructor(socket, name, silenceMs, mostBytes) {
    this.#socket = socket;
    this.#name = name;
    this.#reader = new ReplyReader((reply) => this.#take(reply), mostBytes);
    socket.setTimeout(silenceMs, () => {
      if (this.#asked.length > 0) this.close(new Error(`${name} did not answer for ${silenceMs / 1000} s`));
    });
  }

  get lost() {
    return this.#over !== null;
  }

  /** @param {readonly (readonly Word[])[]} commands each character is one byte @returns {Promise<Reply[]>} error replies are among them */
  pipeline(commands) {
    return this.send(encodeCommands(commands, 'latin1'), commands.length);
  }

  /** @param {Buffer} bytes of commands @param {number} replies how many they have @returns {Promise<Reply[]>} as {@link pipeline} */
  send(bytes, replies) {
    if (this.#over) return Promise.reject(this.#over);
    if (replies === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#asked.push({ replies: [], left: replies, resolve, reject });
      this.#socket.write(bytes);
    });
  }

  /** @param {...Word} words @returns {Promise<Reply>} rejects on an {@link ErrorReply}, too */
  async call(...words) {
    const [reply] = await this.pipeline([words]);
    if (reply instanceof ErrorReply) throw reply;
    return reply;
  }

  /** @param {readonly string[]} words sent as UTF-8, so that a password may hold any character */
  async request(words) {
    const [reply] = await this.send(encodeCommands([words], 'utf8'), 1);
    if (reply instanceof ErrorReply) throw reply;
  }

  /** Closes the connection. @param {Error} [reason] pipelines under way reject with it */
  close(reason = new Error('closed by this side')) {
    if (this.#over) return;
    this.#over = reason;
    this.#socket.destroy();
    for (const { reject } of this.#asked.splice(0)) reject(reason);
    this.onEnd(reason);
  }

  disconnected(/** @type {Error | null} */ cause) {
    this.close(
      new Error(cause ? `${this.#name} was lost: ${messageOf(cause)}` : `${this.#name} closed the connection`),
    );
  }

  /** @param {Buffer} chunk @param {number} length how far it is filled */
  receive(chunk, length) {
    if (this.#over) return;
    try {
      this.#reader.receive(chunk, length);
    } catch (error) {
      this.close(/** @type {Error} */ (error));
    }
  }

  #take(/** @type {Reply} */ reply) {
    const first = this.#asked[0];
    if (!first) {
      if (!this.onMessage) throw new Error(`${this.#name} sent a reply without a request`);
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
 * @param {Target} target @param {AbortSignal} [signal] ends the connection; pipelines under way reject with its reason
 * @param {{silenceMs?: number, mostBytes?: number}} [limits] as of {@link Connection}; silenceMs: default: 10 s
 * @throws {UserError} the node cannot be reached
 */
export function connect(target, signal, { silenceMs = SILENCE_MS, mostBytes } = {}) {
  const name = `${target.host}:${target.port}`;
  return dial(target, (socket) => new Connection(socket, name, silenceMs, mostBytes), { signal });
}

/** @param {Connection} connection @param {string} section of INFO @returns {Promise<Record<string, string>>} */
export async function infoOf(connection, section) {
  return parseInfo(String(await connection.call('INFO', section)));
}
