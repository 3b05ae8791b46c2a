/**
 * The suite `timing`: which settings of the Sentinels keep outages short without needless failovers.
 *
 * @import { Suite } from '../../src/run/types.js'
 */
import { MODE_STYLES } from '../modes.js';
import { failoverTiming } from './failover-timing.js';
import { pageData, terminalTables } from './page.js';

/** @type {Suite} */
export default {
  name: 'timing',
  styles: MODE_STYLES,
  benchmarks: [failoverTiming],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: terminalTables,
};
