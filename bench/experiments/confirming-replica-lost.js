import { kill } from '../../src/faults/index.js';
import { between, PROMOTED } from '../../src/run/perform.js';
import { WITH_GROUPS } from './groups.js';

/** Only one replica confirms writes for so long. */
const ALONE_SECONDS = 8;

/** @type {import('./types.js').Performed} */
export default {
  ...WITH_GROUPS,
  id: 'confirming-replica-lost',
  needs: ['group-partition', 'kill'],
  promotes: true,
  steps: [
    // Not shorter: the kernel of this machine still has what the killed primary had sent, and would deliver it.
    { at: 0, fault: between('replica-2', 'primary'), until: PROMOTED },
    { at: ALONE_SECONDS, fault: kill, on: 'replica-1', until: PROMOTED },
    { at: ALONE_SECONDS, fault: kill, until: PROMOTED },
  ],
};
