/** @import { Titles } from '../types.js' */
import { plural } from '../../src/format.js';
import { variationName } from '../../src/result/variation.js';
import { modeTitle } from './modes.js';

/** Of every trial: an application with a pool of connections. */
export const WRITER = 'sticky';

/** @type {Readonly<Record<string, string>>} */
export const VARIATIONS = Object.freeze({ behind: 'frozen replica promoted', unannounced: 'old primary not told' });

const STACKS = Object.freeze(['no replica', '1 replica, async', '2 replicas, semi-sync']);

/** @param {{replicas?: number}} params */
export function stackTitle({ replicas = 0 }) {
  return STACKS[replicas] ?? plural(replicas, 'replica');
}

/** @type {Titles} */
export const TITLES = Object.freeze({
  case: (params) => {
    const name = variationName(params);
    return `${modeTitle(params)}${name === '' ? '' : ` (${VARIATIONS[name] ?? name})`}`;
  },
  writer: () => 'pool',
});
