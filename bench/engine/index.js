import engine from './engine.js';

/** @import { Suite } from '../../src/run/types.js' */

/** @type {Suite} */
export default {
  name: 'engine',
  benchmarks: [engine],
};
