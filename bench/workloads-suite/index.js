/**
 * The suite `workloads`: what failures do to locks, counters, requests, limits, queues, streams and messages.
 *
 * @import { Suite } from '../../src/run/types.js'
 */
import { roundFigures } from './document.js';
import { SCENARIOS } from './scenarios.js';

/** @type {Suite} */
export default { name: 'workloads', roundFigures, benchmarks: SCENARIOS };
