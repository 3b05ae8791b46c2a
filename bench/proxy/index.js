/** The suite `proxy`: clients that do not ask the Sentinels, because a proxy or a virtual IP address leads them to the primary. */
/** @import { Suite } from '../types.js' */
import { pageData } from './page.js';
import { SCENARIOS } from './scenarios.js';

/** @type {Suite} */
export default {
  name: 'proxy',
  benchmarks: SCENARIOS,
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.losses],
};
