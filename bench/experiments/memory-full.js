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

/** @type {import('./types.js').Experiment} */
export default {
  id: 'memory-full',
  title: 'memory full',
  explained: 'the primary is over `maxmemory` with `noeviction` when it freezes, and stays so when it wakes up',
  question: 'What is lost when a primary whose memory is full freezes until a replica is promoted?',
  method:
    'The primary alone gets a `maxmemory` below what it uses, with `noeviction`, so it refuses writes. Half a second later SIGSTOP freezes it. The Sentinels promote a replica, ' +
    'which takes writes for a while. Then the old primary continues, still without memory. The writers continue until the Sentinels have demoted it, or as long as that usually takes.',
  needs: ['pause', 'configure'],
  promotes: true,
  steps: [
    // It lasts until the trial ends.
    { at: 0, fault: fullMemory, prepares: true },
    { at: 0.5, fault: pause, until: PROMOTED },
  ],
};
