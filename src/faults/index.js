/**
 * All faults.
 */
export { clientPause } from './client-pause.js';
export { cut } from './cut.js';
export { failover } from './failover.js';
export { isolate } from './isolate.js';
export { kill } from './kill.js';
export { pause } from './pause.js';
export { restart } from './restart.js';
export { ALL_LINKS, slowLink } from './slow-link.js';
export { stop } from './stop.js';
