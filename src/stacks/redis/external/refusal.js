/** Why a node or a Sentinel refused us, in words that say what to do. */

import { KEY_NAMESPACE } from '../../../clients/types.js';
import { messageOf, ownFault, UserError } from '../../../errors.js';
import { problem } from '../../texts.js';
import { isReplyError } from '../control.js';

/** @import { Address, NodeInfo, Stack } from '../../types.js' */

const REACH = 'Check the address, that the server runs, and that no firewall blocks this machine.';

const PASSWORD = 'Check the user and the password. Sentinels have their own, apart from the nodes’.';

/** @type {{matches: (code: string, message: string) => boolean, what: string, remedy: string}[]} */
const KNOWN = [
  { matches: (code) => code === 'ECONNREFUSED', what: 'connection refused', remedy: REACH },
  {
    matches: (code) => code === 'ENOTFOUND' || code === 'EAI_AGAIN',
    what: 'its host name cannot be resolved',
    remedy: 'Check the spelling, or give the IP address.',
  },
  {
    matches: (_, message) => /^WRONGPASS|invalid password|invalid username-password/.test(message),
    what: 'user or password refused',
    remedy: PASSWORD,
  },
  { matches: (_, message) => message.startsWith('NOAUTH'), what: 'it wants a password', remedy: PASSWORD },
  {
    matches: (_, message) => message.startsWith('NOPERM'),
    what: 'this user lacks a permission',
    remedy: 'Allow the user INFO on the nodes and SENTINEL on the Sentinels.',
  },
  {
    matches: (code, message) =>
      code === 'EPROTO' || code.startsWith('ERR_SSL') || /wrong version number/i.test(message),
    what: 'it does not speak TLS, or not a version that we speak',
    remedy: 'Leave TLS off, or give the port that speaks TLS.',
  },
  {
    matches: (code) => /SELF_SIGNED|UNABLE_TO_|CERT_|ERR_TLS_CERT/.test(code),
    what: 'its certificate is not trusted',
    remedy: 'Give the CA that signed it, and the name it was made out to.',
  },
  {
    matches: (code, message) => code === 'ECONNRESET' || code === 'EPIPE' || message === 'Connection is closed.',
    what: 'it closed the connection',
    remedy: 'If it speaks TLS, turn TLS on (or give the client certificate it asks for).',
  },
  {
    matches: (_, message) => /unknown command .?AUTH\b/i.test(message),
    what: 'it does not know AUTH, which the password needs',
    remedy: 'Take AUTH out of the server’s rename-command, or unset the password.',
  },
  {
    matches: (_, message) => /^(Unknown RESP type|Protocol error)/.test(message),
    what: 'it does not answer as a Redis server does',
    remedy: 'Check the address and the port: another program answers there.',
  },
  {
    matches: (_, message) => /unknown command.*SENTINEL/i.test(message),
    what: 'it is not a Sentinel',
    remedy: 'Give the port of a Sentinel (usually 26379), not that of a Redis node.',
  },
];

/**
 * Says why a node refused us, in words that name the option to change.
 * @param {unknown} error what `connectControl` or the first command rejected with
 * @param {{tls?: unknown}} credentials tls: present when we spoke TLS
 * @returns {{what: string, remedy: string}} `what`: no full stop; `remedy`: one sentence
 */
export function explainRefusal(error, { tls }) {
  const { code = '', message = String(error) } = /** @type {NodeJS.ErrnoException} */ (error);
  const timedOut = code === 'ETIMEDOUT' || message === 'Command timed out';
  // A server without TLS takes our greeting for the start of a command and waits for the rest.
  if (timedOut && tls)
    return { what: 'no answer in time to TLS', remedy: 'Leave TLS off, or give the port that speaks TLS.' };
  if (timedOut) return { what: 'no answer in time', remedy: REACH };
  return (
    ownFault(error) ?? KNOWN.find(({ matches }) => matches(code, message)) ?? { what: message || code, remedy: REACH }
  );
}

/**
 * @param {unknown} error
 * @returns {boolean} this user may not use keys of this name; other permissions do not matter
 */
export const isKeyRefused = (error) => isReplyError(error) && /^NOPERM\b.*\bkeys?\b/i.test(error.message);

/**
 * @param {Pick<Stack, 'access'>} stack
 * @param {Address} address of its primary
 * @param {unknown} error what that answered
 * @returns {UserError}
 */
export function refusedKeys({ access: { keyPrefix = '' } }, address, error) {
  return problem(
    'keys-refused',
    {
      keyPrefix,
      namespace: KEY_NAMESPACE,
      address,
      reason: /** @type {Error} */ (error),
      remedy: remedyForKeys(keyPrefix),
    },
    { cause: error },
  );
}

/** @param {string} [keyPrefix] @returns {string} what to allow a user whom a node does not let write */
export function remedyForKeys(keyPrefix = '') {
  return `Allow the user SET, GET, WAIT, SCAN and UNLINK on keys that start with ${keyPrefix}${KEY_NAMESPACE}, or name the beginning of keys that it may use with --key-prefix.`;
}

const ALLOW_CONFIG =
  'Allow the user `+config|get +config|set +config|rewrite +info` on every node with ACL SETUSER, or write the settings into the configuration files.';
const NAME_CONFIG =
  'Take CONFIG out of the server’s rename-command and restart it, or write the settings into the configuration files.';

/**
 * @param {Pick<NodeInfo, 'id' | 'address'>} node
 * @param {Error} error what it answered to CONFIG
 * @returns {UserError}
 */
export function refusedCommand({ id, address }, error) {
  return problem(
    'config-refused',
    { id, address, reason: /** @type {Error} */ (error), remedy: remedyForConfig(error) },
    { cause: error },
  );
}

/**
 * @param {unknown} error what a node answered to CONFIG
 * @returns {string} what to allow
 */
export function remedyForConfig(error) {
  return /unknown command/i.test(messageOf(error)) ? NAME_CONFIG : ALLOW_CONFIG;
}
