import { options } from './options.js';
import persistence from './persistence.js';
import { persistenceFrontPage } from './report.js';

/** @import { Suite } from '../../src/run/types.js' */

/** @type {Suite} */
export default { name: 'persistence', options, benchmarks: [persistence], frontPage: persistenceFrontPage };
