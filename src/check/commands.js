/** Every command that `check` may send, and the one place that sends them. Any other command is refused before it leaves. */

import { formatAddress } from '../stacks/address.js';
import { connectControl, isReplyError } from '../stacks/redis/control.js';
import { Unknown } from './unknown.js';

/** @import { Address } from '../stacks/types.js' @import { Login } from '../stacks/redis/control.js' */

/** Settings that are read by name. None of them is a password. */
export const SETTINGS = Object.freeze([
  ...[
    'appendonly',
    'appendfsync',
    'no-appendfsync-on-rewrite',
    'save',
    'min-replicas-to-write',
    'min-replicas-max-lag',
  ],
  ...['replica-priority', 'replica-read-only', 'maxmemory', 'maxmemory-policy', 'repl-backlog-size', 'repl-timeout'],
  ...['client-output-buffer-limit', 'protected-mode'],
]);

/** What a Sentinel sends to the replica that it promotes. */
export const PROMOTION = Object.freeze(['MULTI', 'EXEC', 'CONFIG', 'CLIENT', 'SLAVEOF']);

/** Most client ids in one CLIENT LIST: it stays below 0.1 ms. */
export const MOST_CLIENTS = 100;

const STEP = `(?:${PROMOTION.join('|')})`;

/** The commands: patterns of their words, with a space between two. All only read. */
const COMMANDS = [
  'INFO',
  'SENTINEL (?:MYID|MASTERS)',
  'SENTINEL (?:REPLICAS|SENTINELS|CKQUORUM) \\S+',
  `CONFIG GET(?: (?:${SETTINGS.join('|')})){1,${SETTINGS.length}}`,
  `COMMAND INFO(?: ${STEP}){1,${PROMOTION.length}}`,
  'LATENCY HISTOGRAM',
  'CLIENT (?:ID|LIST)',
  `CLIENT LIST ID(?: \\d{1,20}){1,${MOST_CLIENTS}}`,
  `ACL DRYRUN \\S+ ${STEP}(?: (?:NO|ONE|REWRITE|KILL|TYPE|normal)){0,3}`,
].map((words) => new RegExp(`^${words}$`));

/** @param {readonly string[]} words @returns {boolean} */
export function isAllowed(words) {
  return words.every((word) => /^\S{1,200}$/.test(word)) && COMMANDS.some((pattern) => pattern.test(words.join(' ')));
}

/** A production server may be far away; one that hangs must not delay the others for long. */
const TIMEOUT_MS = 2000;

/**
 * @typedef {{ask: (...words: string[]) => Promise<unknown>}} Reader a connection that only reads. ask: the reply; {@link Unknown} if the server
 *   refused the command; rejects if the connection is lost
 * @typedef {(line: string) => void} Trace gets each address before it is contacted, and each command before it is sent
 */

/**
 * @template T @param {Address} address @param {Login} login @param {{trace: Trace, namedBy: string}} how namedBy: who gave the address
 * @param {(reader: Reader) => Promise<T>} work
 */
export async function withReader(address, login, { trace, namedBy }, work) {
  const at = formatAddress(address);
  trace(`${at}  connect (named by ${namedBy})`);
  const control = await connectControl(address, login, { timeoutMs: TIMEOUT_MS });
  /** @type {Reader['ask']} */
  const ask = async (...words) => {
    if (!isAllowed(words)) throw new Error(`${words.join(' ')} is not among the commands that only read`);
    trace(`${at}  ${words.join(' ')}`);
    try {
      return await control.call(words[0], ...words.slice(1));
    } catch (error) {
      if (isReplyError(error)) return refused(words, error);
      throw error;
    }
  };
  return work({ ask }).finally(control.close);
}

/** @param {readonly string[]} words @param {Error} error of the server */
function refused([name, sub], { message }) {
  const shown = name === 'INFO' ? name : `${name} ${sub}`;
  const allow = `+${shown.toLowerCase().replace(' ', '|')}`;
  if (/^NOPERM/.test(message)) return new Unknown(`this user may not send ${shown}`, { allow });
  if (/unknown (?:sub)?command|wrong number of arguments/i.test(message))
    return new Unknown(`the server has no ${shown}, or it is renamed`, { missing: true });
  return new Unknown(`${shown} was answered by ${message}`);
}
