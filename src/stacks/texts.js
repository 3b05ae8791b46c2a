import { messageOf } from '../errors.js';
import { sentencesIn } from '../sentences.js';
import { formatAddress } from './address.js';

/** @import { Address } from './types.js' */

export const { problem, text, words } = sentencesIn(new URL('texts.yaml', import.meta.url), inWords);

/** @param {unknown} value @returns an error without its full stop, a list with commas, an address as `host:port` */
function inWords(value) {
  if (value instanceof Error) return messageOf(value).replace(/\.$/, '');
  if (Array.isArray(value)) return value.join(', ');
  return value !== null && typeof value === 'object' ? formatAddress(/** @type {Address} */ (value)) : String(value);
}
