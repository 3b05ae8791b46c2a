import engine from './engine.js';

/** @type {import('../../src/run/types.js').Suite} */
export default {
  name: 'engine',
  benchmarks: [engine],
};
