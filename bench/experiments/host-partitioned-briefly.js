import { separated, WITH_GROUPS } from './groups.js';
import { asLongAsNamed, BRIEFLY, lengthsFor } from './lengths.js';

/** @type {import('./types.js').Experiment} */
export default {
  ...WITH_GROUPS,
  id: 'host-partitioned-briefly',
  title: 'host partitioned briefly',
  explained: 'the primary’s host, with one Sentinel, is cut off for about as long as a failover takes',
  question: 'What is lost when the host of the primary is separated for about as long as a failover takes?',
  method: `The primary, the Sentinel on its host and a client cannot reach the other hosts (placement “colocated”). ${BRIEFLY}`,
  perYear: 1,
  placed: true,
  lengths: lengthsFor,
  steps: [{ at: 0, fault: separated({ usual: 'colocated', away: 1 }), until: asLongAsNamed }],
};
