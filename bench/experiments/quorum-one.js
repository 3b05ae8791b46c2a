import { groupPartition, NETWORK } from '../../src/faults/index.js';
import { applySettings } from '../../src/faults/settings.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { GROUP_SCENARIO, groupCases, whyNotWithinHost } from './groups.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */

/** @type {Fault} */
export const quorumOne = {
  name: 'quorum-one',
  what: 'is called down by a single Sentinel (quorum 1)',
  needs: ['configure'],
  inject: (site) => applySettings(site, { sentinels: { quorum: '1' } }),
};

/** @type {TrialBenchmark} */
export default {
  ...GROUP_SCENARIO,
  name: 'quorum-one',
  question: 'What is lost with quorum 1 when one Sentinel cannot see a healthy primary?',
  method:
    'Each Sentinel has quorum 1. A partition separates one of them from the primary, and nobody else. It calls the primary down alone, and the others, which ' +
    'see the primary, elect it. The partition heals after the promotion, and the writers continue until the old primary is demoted.',
  needs: ['group-partition', 'configure'],
  cases: groupCases,
  whyNotCase: whyNotWithinHost,
  async script(scene) {
    const { primary, sentinels, profile, downAfterMs, inject, prepare, write, until, switched } = scene;
    const [blind] = sentinels;
    await prepare(quorumOne, blind.id);
    await write(profile.healthySeconds);
    const undo = await inject(groupPartition({ groups: [[primary.id], [blind.id]] }), NETWORK);
    await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
    await write(profile.healthySeconds);
    await undo();
    await oldPrimaryReturns(scene);
  },
};
