/** The suite `semi-sync`: what semi-synchronous replication of MariaDB costs, and what it saves. */
/** @import { Suite } from '../types.js' */
import { application, oldPrimary } from './application.js';
import cost from './cost.js';
import { params, roundFigures } from './document.js';
import { pageData } from './page.js';
import resources from './resources.js';
import { SCENARIOS } from './scenarios.js';

/** @type {Suite} */
export default {
  name: 'semi-sync',
  params,
  roundFigures,
  benchmarks: [cost, resources, application, oldPrimary, ...SCENARIOS],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.losses, pageData(result).tables.costs],
};
