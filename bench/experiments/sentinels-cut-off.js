import { between } from '../../src/run/perform.js';
import { WITH_GROUPS, whyNotWithinHost } from './groups.js';

const SECONDS = 15;

/** @type {import('./types.js').Experiment} */
export default {
  ...WITH_GROUPS,
  id: 'sentinels-cut-off',
  title: 'Sentinels cut off',
  explained: 'the Sentinels cannot reach the primary; replicas and clients can',
  question: 'What is lost when the Sentinels cannot reach the primary, but its replicas and clients can?',
  method:
    'A partition separates the primary from the Sentinels. They promote a replica, while clients still reach the old primary. ' +
    `After ${SECONDS} s the partition heals, and the writers continue until the old primary is demoted.`,
  perYear: 0.2,
  whyNot: whyNotWithinHost,
  promotes: true,
  steps: [{ at: 0, fault: between('primary', 'sentinels'), lasts: SECONDS }],
};
