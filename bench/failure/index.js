/** The suite `failure`: which acknowledged writes are lost in a failure, and how long writes stop. */
/** @import { Suite } from '../types.js' */

import { durableModes } from '../mode-costs.js';
import { failureDetails } from './details.js';
import { pageData, terminalBlocks } from './page.js';
import { SCENARIOS } from './scenario-checks.js';

/** @type {Suite} */
export default {
  name: 'failure',
  benchmarks: [...SCENARIOS, durableModes],
  page: { template: new URL('page.md', import.meta.url), data: pageData },
  details: failureDetails,
  terminal: terminalBlocks,
};
