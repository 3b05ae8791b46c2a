/**
 * A primary whose memory is full is frozen: Redis 7.0 refuses the REPLICAOF of the Sentinels, so it stays a second primary.
 */
import { pause } from '../../src/faults/index.js';
import { applySettings } from '../../src/faults/settings.js';
import { PROMOTED } from '../../src/run/perform.js';

/** @import { Fault } from '../../src/faults/types.js' */

/** Less than an empty server uses, so the next write is refused. */
const FULL = { maxmemory: '1', 'maxmemory-policy': 'noeviction' };

/** @type {Fault} */
const fullMemory = {
  name: 'memory-full',
  what: 'has no memory left and evicts nothing (maxmemory, noeviction)',
  needs: ['configure'],
  inject: (site, id) => applySettings(site, { nodes: { [id]: FULL } }),
};

/** @type {import('./types.js').Performed} */
export default {
  id: 'memory-full',
  needs: ['pause', 'configure'],
  promotes: true,
  steps: [
    // It lasts until the trial ends.
    { at: 0, fault: fullMemory, prepares: true },
    { at: 0.5, fault: pause, until: PROMOTED },
  ],
};
