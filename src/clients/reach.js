/**
 * Connecting within a deadline, and what to say when that fails.
 */
import { messageOf, ownFault, UserError } from '../errors.js';
import { keepSecret } from '../untrusted.js';

/** @import { Target } from './types.js' */

/** How long a node may take to accept a connection and a login, milliseconds. */
export const CONNECT_TIMEOUT_MS = 5000;

/**
 * Waits for a connection, but not for ever: a paused node accepts connections (its kernel does) and never says a word.
 * @param {Target} target
 * @param {Promise<unknown>} connecting
 * @param {() => unknown} drop abandons the attempt; called when it failed or took longer than {@link CONNECT_TIMEOUT_MS}
 * @param {() => unknown} [reason] the error that made `connecting` reject, where the library tells it elsewhere
 * @throws {UserError} without a `cause`: the libraries' errors carry the login's arguments
 */
export async function reach(target, connecting, drop, reason) {
  keepSecret(target.credentials?.password);
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(reject, CONNECT_TIMEOUT_MS, new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1000} s`));
  });
  try {
    await Promise.race([connecting, late]);
  } catch (error) {
    await drop();
    throw cannotConnect(target, reason?.() ?? error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {Target} target
 * @param {unknown} error what the socket, the server or the library said
 */
export function cannotConnect(target, error) {
  const own = ownFault(error);
  if (own) return new UserError(`Cannot connect to ${target.host}:${target.port}: ${own.what}.`, own.remedy);
  const remedy = /^(?:NOAUTH|WRONGPASS|NOPERM|ERR AUTH)\b/.test(messageOf(error))
    ? 'Check the user name and the password.'
    : 'Check that a Redis node listens at this address, and with or without TLS as you asked for.';
  return new UserError(`Cannot connect to ${target.host}:${target.port}: ${messageOf(error)}.`, remedy);
}
