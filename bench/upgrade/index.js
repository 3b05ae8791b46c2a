/** The suite `upgrade`: nodes change their server one after the other while clients write. */
/** @import { Suite } from '../types.js' */
import { params } from './document.js';
import { pageData } from './page.js';
import { downgrade, migrate, rollingUpgrade } from './scenarios.js';

/** @type {Suite} */
export default {
  name: 'upgrade',
  params,
  benchmarks: [rollingUpgrade, migrate, downgrade],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.ways, pageData(result).tables.moves],
};
