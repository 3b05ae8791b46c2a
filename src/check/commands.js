/** Every command that `check` may send, and the one place that sends them. Any other command is refused before it leaves. */

import { formatAddress } from '../stacks/address.js';
import { connectControl, isReplyError } from '../stacks/redis/control.js';
import { Unknown } from './unknown.js';

/**
 * @import { Address } from '../stacks/types.js'
 * @import { Login } from '../stacks/redis/control.js'
 */

/** Settings that are read by name. None of them is a password. */
export const SETTINGS = Object.freeze([
  'appendonly',
  'appendfsync',
  'no-appendfsync-on-rewrite',
  'save',
  'min-replicas-to-write',
  'min-replicas-max-lag',
  'replica-priority',
  'replica-read-only',
  'maxmemory',
  'maxmemory-policy',
  'repl-backlog-size',
  'repl-timeout',
  'client-output-buffer-limit',
  'protected-mode',
]);

/** What a Sentinel sends to the replica that it promotes. */
export const PROMOTION = Object.freeze(['MULTI', 'EXEC', 'CONFIG', 'CLIENT', 'SLAVEOF']);

/** Most client ids in one CLIENT LIST: it stays below 0.1 ms. */
export const MOST_CLIENTS = 100;

const NAME = /^[^\s]{1,200}$/;
const ID = /^\d{1,20}$/;
const among = (/** @type {readonly string[]} */ list) => (/** @type {string} */ word) => list.includes(word);
const named = (/** @type {string} */ word) => NAME.test(word);

/**
 * The commands: their first words, and what further words they may have. All only read.
 * @type {readonly {words: string, more?: (word: string, index: number) => boolean, least?: number, most?: number}[]}
 */
const COMMANDS = Object.freeze([
  { words: 'INFO' },
  { words: 'SENTINEL MYID' },
  { words: 'SENTINEL MASTERS' },
  { words: 'SENTINEL REPLICAS', more: named, least: 1, most: 1 },
  { words: 'SENTINEL SENTINELS', more: named, least: 1, most: 1 },
  { words: 'SENTINEL CKQUORUM', more: named, least: 1, most: 1 },
  { words: 'CONFIG GET', more: among(SETTINGS), least: 1, most: SETTINGS.length },
  { words: 'COMMAND INFO', more: among(PROMOTION), least: 1, most: PROMOTION.length },
  { words: 'LATENCY HISTOGRAM' },
  { words: 'CLIENT ID' },
  { words: 'CLIENT LIST' },
  { words: 'CLIENT LIST ID', more: (/** @type {string} */ word) => ID.test(word), least: 1, most: MOST_CLIENTS },
  { words: 'ACL DRYRUN', more: isDryRun, least: 2, most: 5 },
]);

/** @param {string} word @param {number} index after a user's name, a step of a promotion */
function isDryRun(word, index) {
  if (index === 0) return named(word);
  return among(index === 1 ? PROMOTION : ['NO', 'ONE', 'REWRITE', 'KILL', 'TYPE', 'normal'])(word);
}

/** @param {readonly string[]} words @returns {boolean} */
export function isAllowed(words) {
  return COMMANDS.some(({ words: first, more, least = 0, most = 0 }) => {
    const start = first.split(' ');
    const rest = words.slice(start.length);
    return (
      start.every((word, index) => words[index] === word) &&
      rest.length >= least &&
      rest.length <= most &&
      rest.every((word, index) => more?.(word, index))
    );
  });
}

/** A production server may be far away; one that hangs must not delay the others for long. */
const TIMEOUT_MS = 2000;

/**
 * @typedef {{ask: (...words: string[]) => Promise<unknown>}} Reader a connection that only reads. ask: the reply; {@link Unknown} if the server
 *   refused the command; rejects if the connection is lost
 *
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
function refused(words, { message }) {
  const [name, sub] = words;
  const shown = COMMANDS.some(({ words: first }) => first.startsWith(`${name} `)) ? `${name} ${sub}` : name;
  const allow = `+${shown.toLowerCase().replace(' ', '|')}`;
  if (/^NOPERM/.test(message)) return new Unknown(`this user may not send ${shown}`, { allow });
  if (/unknown (?:sub)?command|wrong number of arguments/i.test(message))
    return new Unknown(`the server has no ${shown}, or it is renamed`, { missing: true });
  return new Unknown(`${shown} was answered by ${message}`);
}
