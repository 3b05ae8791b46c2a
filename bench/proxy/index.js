/**
 * The suite `proxy`: clients that do not ask the Sentinels, because a proxy or a virtual IP address leads them to the primary.
 *
 * @import { Suite } from '../../src/run/types.js'
 */
import { MODE_STYLES } from '../modes.js';
import { pageData } from './page.js';
import { SCENARIOS } from './scenarios.js';

/** @type {Suite} */
export default {
  name: 'proxy',
  styles: MODE_STYLES,
  benchmarks: SCENARIOS,
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.losses],
};
