/** The outcome of a write, from the server's answer. The same for all three clients. */
import { Outcome } from './types.js';

/** @import { Shape } from './types.js' */

/** What `onError` gets for a batch on a connection that was already lost. */
export const NOT_SENT = 'NOTSENT the connection was lost before this batch; nothing was sent';

/**
 * Error replies that say that the write was not applied, by their first word.
 *
 * Redis makes these checks in `processCommand` (src/server.c) before it calls the command's function, so nothing was changed: see
 * `rejectCommand` there, and https://redis.io/docs/latest/develop/reference/errors/ for their meanings. Valkey has the same checks.
 */
const REJECTED = new Set([
  'NOAUTH', // not logged in
  'NOPERM', // this user may not
  'WRONGPASS', // the login itself failed; nothing is executed before it
  'DENIED', // protected mode: said when the connection is accepted, which is then closed
  'MOVED', // another cluster node's slot
  'ASK', // likewise, while the slot is being moved
  'TRYAGAIN', // likewise, for several keys
  'CROSSSLOT', // keys of several slots
  'CLUSTERDOWN', // no node serves the slot
  'OOM', // maxmemory is reached and nothing may be evicted
  'MISCONF', // the last snapshot or the append-only file could not be written
  'NOREPLICAS', // min-replicas-to-write
  'READONLY', // a replica
  'MASTERDOWN', // a replica without its primary, replica-serve-stale-data no
  'LOADING', // reading its data from disk or from its primary
  'BUSY', // a script or function runs too long
  'EXECABORT', // a transaction thrown away because one of its commands was refused
  'NOTSENT', // ours: see NOT_SENT
]);

/** Errors of the general kind `ERR` that say the same: too many clients, or an unknown (renamed) command. */
const REJECTED_TEXT = /^ERR (?:max number of clients\b|unknown command\b)/;

/** Kinds of errors that do not say whether a write was applied. */
const OTHER_KINDS = [
  // ours and the system's: the connection was lost
  'CLOSED',
  'PROTOCOL',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  // a driver's: no answer in time, no primary known, and all else
  'TIMEOUT',
  'NOPRIMARY',
  'OTHER',
  // the server's
  'ERR',
  'UNBLOCKED',
  'WRONGTYPE',
  'NOPROTO',
  'BUSYKEY',
  'NOSCRIPT',
  'UNKILLABLE',
  'NOTBUSY',
];

const KINDS = new Set([...REJECTED, ...OTHER_KINDS]);

/**
 * The outcome of a write that was answered with an error.
 * @param {string} text the error reply without its leading `-`
 * @returns {number} `Outcome.rejected` when the error says that the write was not applied, else `Outcome.unknown`
 */
export function classifyWriteError(text) {
  return REJECTED.has(firstWord(text)) || REJECTED_TEXT.test(text) ? Outcome.rejected : Outcome.unknown;
}

/**
 * The name under which an error is counted. The set of names is bounded, so that a server with invented errors cannot make a table of
 * counts grow.
 * @param {string} text an error reply without its leading `-`, or our own text (`CLOSED …`, `NOTSENT …`)
 * @returns {string} its first word when that is a known kind, else `ERR`
 */
export function errorKind(text) {
  const word = firstWord(text);
  return KINDS.has(word) ? word : 'ERR';
}

/**
 * The outcome of a write that was answered OK.
 * @param {Pick<Shape, 'waitReplicas' | 'waitLocal'>} wait
 * @param {number} count how many replicas WAIT or WAITAOF returned; -1 if it was not sent or not answered with a number (an error
 *   such as `UNBLOCKED`, or a lost connection): the primary applied the write, and the replicas are unknown
 * @param {number} [localCount] what WAITAOF returned for the node itself; -1: as for `count`
 * @returns {number} `Outcome.acked` or `Outcome.underAcked`
 */
export function outcomeOfOk({ waitReplicas, waitLocal }, count, localCount = -1) {
  if (waitReplicas === 0 && waitLocal === undefined) return Outcome.acked;
  return count >= waitReplicas && localCount >= (waitLocal ?? -1) ? Outcome.acked : Outcome.underAcked;
}

/** @param {string} text */
function firstWord(text) {
  const end = text.indexOf(' ');
  return end === -1 ? text : text.slice(0, end);
}
