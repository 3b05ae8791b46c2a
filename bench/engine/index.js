/** @import { Suite } from '../types.js' */
import engine from './engine.js';
import { pageData } from './page.js';

/** @type {Suite} */
export default {
  name: 'engine',
  benchmarks: [engine],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.tools],
};
