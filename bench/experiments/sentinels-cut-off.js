import { groupPartition, NETWORK } from '../../src/faults/index.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { GROUP_SCENARIO, groupCases, whyNotWithinHost } from './groups.js';

/** @import { TrialBenchmark } from '../../src/run/types.js' */

const SECONDS = 15;

/** @type {TrialBenchmark} */
export default {
  ...GROUP_SCENARIO,
  name: 'sentinels-cut-off',
  question: 'What is lost when the Sentinels cannot reach the primary, but its replicas and clients can?',
  method:
    'A partition separates the primary from the Sentinels. They promote a replica, while clients still reach the old primary. ' +
    `After ${SECONDS} s the partition heals, and the writers continue until the old primary is demoted.`,
  cases: groupCases,
  whyNotCase: whyNotWithinHost,
  async script(scene) {
    const { primary, sentinels, profile, inject, write } = scene;
    await write(profile.healthySeconds);
    const undo = await inject(groupPartition({ groups: [[primary.id], sentinels.map(({ id }) => id)] }), NETWORK);
    await write(SECONDS);
    await undo();
    await oldPrimaryReturns(scene);
  },
};
