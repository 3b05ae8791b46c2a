/**
 * The outcome of a write, from the server's answer. The same for all clients.
 * @import { Shape } from './types.js'
 */
import { readYaml } from '../yaml.js';
import { Outcome } from './types.js';

/** What `onError` gets for a batch on a connection that was already lost. */
export const NOT_SENT = 'NOTSENT the connection was lost before this batch; nothing was sent';

/** @type {{rejected: Record<string, string>, unknown: Record<string, string[]>}} */
const kinds = readYaml(new URL('errors.yaml', import.meta.url));

const REJECTED = new Set(Object.keys(kinds.rejected));

/** Errors of the general kind `ERR` that say the same: too many clients, or an unknown (renamed) command. */
const REJECTED_TEXT = /^ERR (?:max number of clients\b|unknown command\b)/;

const KINDS = new Set([...REJECTED, ...Object.values(kinds.unknown).flat()]);

/** @param {string} text an error reply without its leading `-` @returns {number} `rejected` if the write was not applied, else `unknown` */
export function classifyWriteError(text) {
  return REJECTED.has(firstWord(text)) || REJECTED_TEXT.test(text) ? Outcome.rejected : Outcome.unknown;
}

/**
 * The name under which an error is counted: its first word if that is a known kind, so that a server with invented errors cannot make a
 * table of counts grow.
 * @param {string} text an error reply without its leading `-`, or our own text (`CLOSED …`, `NOTSENT …`)
 */
export function errorKind(text) {
  const word = firstWord(text);
  return KINDS.has(word) ? word : 'ERR';
}

/**
 * The outcome of a write that was answered OK.
 * @param {Pick<Shape, 'waitReplicas' | 'waitLocal'>} wait
 * @param {number} count of replicas, from WAIT or WAITAOF; -1: it was not sent, or not answered with a number
 * @param {number} [localCount] what WAITAOF returned for the node itself; -1: as for `count`
 */
export function outcomeOfOk({ waitReplicas, waitLocal }, count, localCount = -1) {
  if (waitReplicas === 0 && waitLocal === undefined) return Outcome.acked;
  return count >= waitReplicas && localCount >= (waitLocal ?? -1) ? Outcome.acked : Outcome.underAcked;
}

/** @param {Shape} shape @returns {string[] | null} the command that waits for the writes before it; null: none is wanted */
export function waitCommand({ waitLocal, waitReplicas, waitTimeoutMs }) {
  const limits = [waitReplicas, waitTimeoutMs].map(String);
  if (waitLocal !== undefined) return ['WAITAOF', String(waitLocal), ...limits];
  return waitReplicas > 0 ? ['WAIT', ...limits] : null;
}

function firstWord(/** @type {string} */ text) {
  const end = text.indexOf(' ');
  return end === -1 ? text : text.slice(0, end);
}
