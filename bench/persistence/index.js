import { claims } from './claims.js';
import persistence from './persistence.js';
import { persistenceFrontPage } from './report.js';

/** @import { Suite } from '../../src/run/types.js' */

/** @type {Suite} */
export default { name: 'persistence', benchmarks: [persistence], frontPage: persistenceFrontPage, claims };
