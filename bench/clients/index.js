/** The suite `clients`: what the Sentinel clients of many languages lose, and how long they stop. */
/** @import { Suite } from '../types.js' */
import { durableModes } from '../mode-costs.js';
import { options } from './options.js';
import { pageData } from './page.js';
import { SCENARIOS } from './scenarios.js';

/** @type {Suite} */
export default {
  name: 'clients',
  options,
  benchmarks: [...SCENARIOS, durableModes],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  terminal: (result) => [pageData(result).tables.libraries],
};
