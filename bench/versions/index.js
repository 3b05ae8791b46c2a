/** The suite `versions`: the decision's faults and costs on several servers, side by side. */
/** @import { Suite } from '../types.js' */
import { faultBenchmarks } from './faults.js';
import { pageData } from './page.js';
import { cost, speed } from './rounds.js';

/** @type {Suite} */
export default {
  name: 'versions',
  benchmarks: [speed, cost, ...faultBenchmarks],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.loss, pageData(result).tables.cost],
};
