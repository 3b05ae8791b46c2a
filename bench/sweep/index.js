/** The configuration sweep: every durability mode, its cost when all is well, and its losses in failures. */
/** @import { Suite } from '../types.js' */
import { decisionRows } from './decision.js';
import { sweepDetails } from './details.js';
import { faultBenchmarks, pausing } from './failures.js';
import { healthy, responseTime } from './healthy.js';
import { briefTable, pageData } from './page.js';
import { recommenderOf } from './recommender.js';

/** @type {Suite} */
const suite = {
  name: 'config-sweep',
  benchmarks: [healthy, responseTime, ...faultBenchmarks, ...pausing],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  details: sweepDetails,
  terminal: (result) => [briefTable(decisionRows(result))],
};
export default suite;

export const recommender = recommenderOf(suite.benchmarks.map(({ name }) => name));
