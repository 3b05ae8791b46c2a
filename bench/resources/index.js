import { claims } from './claims.js';
import { resourcesFrontPage } from './report.js';
import resources from './resources.js';

/** @type {import('../../src/run/types.js').Suite} */
export default { name: 'resources', benchmarks: [resources], frontPage: resourcesFrontPage, claims };
