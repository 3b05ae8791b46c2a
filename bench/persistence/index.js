import { options } from './options.js';
import { pageData } from './page.js';
import persistence from './persistence.js';

/** @import { Suite } from '../types.js' */

/** @type {Suite} */
export default {
  name: 'persistence',
  options,
  benchmarks: [persistence],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.set],
};
