/**
 * Bringing keys from one node to another by DUMP and RESTORE.
 */
import { knowsExpireTime } from './connection.js';
import { ErrorReply } from './resp.js';

/**
 * @typedef {import('./connection.js').Connection} Connection
 * @typedef {import('./resp.js').Reply} Reply
 * @typedef {import('./resp.js').Word} Word
 *
 * @typedef {Object} KeyCopier
 * @property {(keys: Word[], more?: Word[][]) => Promise<Reply[]>} move reads the keys and begins to write them, when what was moved
 *   before is written: what was read last is written last. `more` is sent to the source behind them; resolves to its replies.
 *   Not to be called again before
 * @property {() => Promise<void>} written all that was moved has been written; rejects when the copy refused some of it
 */

/** What PEXPIRETIME and PTTL say of a key that never expires, and of none. */
const NEVER = -1;
const NO_KEY = -2;

/**
 * @param {Connection} source
 * @param {Connection} copy
 * @param {(keys: number) => void} onWritten
 * @returns {Promise<KeyCopier>}
 */
export async function keyCopier(source, copy, onWritten) {
  // Before Redis 7.0 only what is left can be asked for: it expires as much later as the transfer takes.
  const exact = await knowsExpireTime(source);
  const expiry = exact ? 'PEXPIRETIME' : 'PTTL';
  const flags = exact ? ['REPLACE', 'ABSTTL'] : ['REPLACE'];
  let writing = Promise.resolve();

  /** @param {Word[][]} commands */
  async function write(commands) {
    const replies = await copy.pipeline(commands);
    const refused = replies.find((reply) => reply instanceof ErrorReply);
    if (refused) throw new Error(`the copy refused a key: ${/** @type {ErrorReply} */ (refused).message}`);
    onWritten(replies.length);
  }

  return {
    async move(keys, more = []) {
      /** @type {Word[][]} */
      const reads = [];
      for (const key of keys) reads.push(['DUMP', key], [expiry, key]);
      const replies = await source.pipeline(reads.concat(more));
      const commands = keys.map((key, index) => {
        const payload = replies[2 * index];
        const expires = replies[2 * index + 1];
        if (payload instanceof ErrorReply) throw payload;
        if (expires instanceof ErrorReply) throw expires;
        // Gone, maybe since it was named.
        if (!(payload instanceof Buffer) || expires === NO_KEY) return ['UNLINK', key];
        // PTTL says 0 in a key's last millisecond; RESTORE would take that for never.
        return ['RESTORE', key, expires === NEVER ? '0' : String(expires || 1), payload, ...flags];
      });
      await writing;
      writing = write(commands);
      // Whoever comes to wait for it hears of its failure.
      writing.catch(() => {});
      return replies.slice(reads.length);
    },
    written: () => writing,
  };
}
