import { claims } from './claims.js';
import persistence from './persistence.js';
import { persistenceFrontPage } from './report.js';

/** @type {import('../../src/run/types.js').Suite} */
export default { name: 'persistence', benchmarks: [persistence], frontPage: persistenceFrontPage, claims };
