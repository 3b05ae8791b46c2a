import { kill } from '../../src/faults/index.js';
import { between, PROMOTED } from '../../src/run/perform.js';
import { WITH_GROUPS } from './groups.js';

/** Only one replica confirms writes for so long. */
const ALONE_SECONDS = 8;

/** @type {import('./types.js').Experiment} */
export default {
  ...WITH_GROUPS,
  id: 'confirming-replica-lost',
  title: 'confirming replica lost',
  explained: `only one replica confirms for ${ALONE_SECONDS} s, then it and the primary are killed`,
  question: 'What is lost when the one replica that confirmed the writes is killed, and then the primary?',
  method:
    `A partition separates one replica from the primary. After ${ALONE_SECONDS} s, in which only the other one confirms writes, that one and the primary are killed. ` +
    'The Sentinels promote the replica that is left. The partition heals, the others start again, and the writers continue until the old primary is demoted.',
  perYear: 0.1,
  needs: ['group-partition', 'kill'],
  promotes: true,
  steps: [
    // Not shorter: the kernel of this machine still has what the killed primary had sent, and would deliver it.
    { at: 0, fault: between('replica-2', 'primary'), until: PROMOTED },
    { at: ALONE_SECONDS, fault: kill, on: 'replica-1', until: PROMOTED },
    { at: ALONE_SECONDS, fault: kill, until: PROMOTED },
  ],
};
