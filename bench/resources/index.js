import { pageData } from './page.js';
import resources from './resources.js';

/** @import { Suite } from '../types.js' */

/** @type {Suite} */
export default {
  name: 'resources',
  benchmarks: [resources],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.use],
};
