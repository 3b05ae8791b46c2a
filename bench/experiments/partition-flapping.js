import { separated } from './groups.js';
import { CLIENTS, GROUPS, WITH_REPLICA } from './with-replica.js';

/** Long enough for a failover each time. */
const LOST_BEYOND_DOWN_AFTER_MS = 2000;
const WELL_MS = 1000;
const TIMES = 3;

/** @param {{downAfterMs: number}} scene */
const flapping = ({ downAfterMs }) => ({ lostMs: downAfterMs + LOST_BEYOND_DOWN_AFTER_MS, wellMs: WELL_MS });

/** @type {import('./types.js').Experiment} */
export default {
  ...WITH_REPLICA,
  id: 'partition-flapping',
  title: 'flapping partition',
  explained: 'the same, three times, each longer than down-after',
  question: 'What is lost when a partition that takes a replica along with the primary comes and goes?',
  method:
    `${GROUPS}The partition comes ${TIMES} times, each time ${LOST_BEYOND_DOWN_AFTER_MS / 1000} s longer than down-after, with ${WELL_MS / 1000} s in between. ` +
    `${CLIENTS}The writers continue until the old primary is demoted.`,
  perYear: 0.1,
  steps: (scene) => [
    {
      at: 0,
      fault: separated({ usual: 'apart', away: 'with-replicas', flapping }),
      // Not to its very end: the last one is undone by this step.
      lasts: (TIMES * (flapping(scene).lostMs + WELL_MS) - WELL_MS) / 1000 - 0.2,
    },
  ],
};
