import { separated } from './groups.js';
import { COLOCATED } from './placement.js';
import { CLIENTS, GROUPS, WITH_REPLICA } from './with-replica.js';

/** Far longer than a failover takes. */
const SECONDS = 15;
/** Losses grow with the length. */
const LONG_SECONDS = 30;
export const LONG = 'long';

/** @type {import('./types.js').Experiment} */
export default {
  ...WITH_REPLICA,
  id: 'partition-with-replica',
  title: 'partition with a replica',
  explained: 'the primary, a replica and a minority of Sentinels cannot reach the third host',
  avoid: 'one Sentinel beside each node, none elsewhere',
  question: 'What is lost when a partition takes one replica along with the primary?',
  method: `${GROUPS}${CLIENTS}After ${SECONDS} s the partition heals, and the writers continue until the old primary is demoted.`,
  varied: `In a variant it heals after ${LONG_SECONDS} s. In the variant “Sentinels colocated” one Sentinel is beside each node.`,
  perYear: 0.2,
  durations: { [LONG]: { title: `for ${LONG_SECONDS} s` } },
  placements: { [COLOCATED]: { title: 'Sentinels colocated' } },
  steps: (_, { length }) => [
    {
      at: 0,
      fault: separated({ usual: 'apart', away: 'with-replicas' }),
      lasts: length === LONG ? LONG_SECONDS : SECONDS,
    },
  ],
};
