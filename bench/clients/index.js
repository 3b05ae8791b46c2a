/**
 * The suite `clients`: what the Sentinel clients of many languages lose, and how long they stop.
 *
 * @import { Suite } from '../../src/run/types.js'
 */
import { options } from './options.js';
import { clientsPage } from './page.js';
import { SCENARIOS } from './scenarios.js';

/** @type {Suite} */
export default { name: 'clients', options, benchmarks: SCENARIOS, frontPage: clientsPage };
