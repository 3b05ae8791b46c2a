/** Why a node or a Sentinel refused us, in words that say what to do. */

import { KEY_NAMESPACE } from '../../../clients/types.js';
import { messageOf, ownFault } from '../../../errors.js';
import { once } from '../../../once.js';
import { readYaml } from '../../../yaml.js';
import { problem, text } from '../../texts.js';
import { isReplyError } from '../control.js';

/** @import { Address, NodeInfo, Stack } from '../../types.js' */

/** @type {() => readonly {when: string, tls?: true, what: string, remedy: string}[]} */
const known = once(() => readYaml(new URL('refusals.yaml', import.meta.url)));

/** In words that name the option to change. @param {unknown} error @param {{tls?: unknown}} credentials tls: present when we spoke TLS */
export function explainRefusal(error, { tls }) {
  const { code = '', message = String(error) } = /** @type {NodeJS.ErrnoException} */ (error);
  const says = (/** @type {string} */ pattern) => [code, message].some((said) => new RegExp(pattern, 'i').test(said));
  const fits = known().find((each) => says(each.when) && (!each.tls || tls));
  const [{ remedy }] = known();
  return ownFault(error) ?? fits ?? { what: message || code, remedy };
}

/** @param {unknown} error @returns this user may not use keys of this name */
export const isKeyRefused = (error) => isReplyError(error) && /^NOPERM\b.*\bkeys?\b/i.test(error.message);

/** @param {Pick<Stack, 'access'>} stack @param {Address} address of its primary @param {unknown} error what that answered */
export function refusedKeys({ access: { keyPrefix = '' } }, address, error) {
  const values = { keys: keyPrefix + KEY_NAMESPACE, address, error, remedy: remedyForKeys(keyPrefix) };
  return problem('keys-refused', values, { cause: error });
}

/** @param {string} [keyPrefix] @returns what to allow */
export function remedyForKeys(keyPrefix = '') {
  return text('allow-keys', { keys: keyPrefix + KEY_NAMESPACE });
}

/** @param {Pick<NodeInfo, 'id' | 'address'>} node @param {Error} error what it answered to CONFIG */
export function refusedCommand({ id, address }, error) {
  return problem('config-refused', { id, address, error, remedy: remedyForConfig(error) }, { cause: error });
}

/** @param {unknown} error what a node answered to CONFIG @returns what to allow */
export function remedyForConfig(error) {
  return /unknown command/i.test(messageOf(error)) ? text('unhide-config') : text('allow-config');
}
