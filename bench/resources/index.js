import { resourcesFrontPage } from './report.js';
import resources from './resources.js';

/** @import { Suite } from '../../src/run/types.js' */

/** @type {Suite} */
export default { name: 'resources', benchmarks: [resources], frontPage: resourcesFrontPage };
