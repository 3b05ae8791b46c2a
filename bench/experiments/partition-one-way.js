import { separated } from './groups.js';
import { CLIENTS, GROUPS, WITH_REPLICA } from './with-replica.js';

const SECONDS = 15;
/** Only the host of the primary is cut off. */
export const ALONE = 'primary-alone';

/** @type {import('./types.js').Experiment} */
export default {
  ...WITH_REPLICA,
  id: 'partition-one-way',
  title: 'one-way partition',
  explained: 'the same for 15 s, but only what the two hosts send is lost',
  question: 'What is lost when only one direction of the network fails between two hosts and the third?',
  method: `${GROUPS}Only what they send is lost; what the third host sends arrives. ${CLIENTS}After ${SECONDS} s it heals, and the writers continue until the old primary is demoted.`,
  varied: 'In the variant “primary’s host alone” both replicas are on the other side.',
  perYear: 0.1,
  settings: { [ALONE]: { title: 'primary’s host alone' } },
  steps: (_, { setting }) => [
    {
      at: 0,
      fault: separated({ usual: 'apart', away: setting === ALONE ? 1 : 'with-replicas', oneWay: true }),
      lasts: SECONDS,
    },
  ],
};
