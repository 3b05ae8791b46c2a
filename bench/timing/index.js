/** The suite `timing`: which settings of the Sentinels keep outages short without needless failovers. */
/** @import { Suite } from '../types.js' */
import { failoverTiming } from './failover-timing.js';
import { pageData } from './page.js';

/** @type {Suite} */
export default {
  name: 'timing',
  benchmarks: [failoverTiming],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.choices],
};
