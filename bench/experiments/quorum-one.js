import { applySettings } from '../../src/faults/settings.js';
import { between, PROMOTED } from '../../src/run/perform.js';
import { WITH_GROUPS, whyNotWithinHost } from './groups.js';

/** @import { Fault } from '../../src/faults/types.js' */

/** @type {Fault} */
export const quorumOne = {
  name: 'quorum-one',
  what: 'is called down by a single Sentinel (quorum 1)',
  needs: ['configure'],
  inject: (site) => applySettings(site, { sentinels: { quorum: '1' } }),
};

/** @type {import('./types.js').Experiment} */
export default {
  ...WITH_GROUPS,
  id: 'quorum-one',
  title: 'quorum 1',
  explained: 'each Sentinel has quorum 1, and one of them cannot see a healthy primary',
  question: 'What is lost with quorum 1 when one Sentinel cannot see a healthy primary?',
  method:
    'Each Sentinel has quorum 1. A partition separates one of them from the primary, and nobody else. It calls the primary down alone, and the others, which ' +
    'see the primary, elect it. The partition heals after the promotion, and the writers continue until the old primary is demoted.',
  needs: ['group-partition', 'configure'],
  whyNot: whyNotWithinHost,
  promotes: true,
  steps: [
    { at: 'before', fault: quorumOne, on: 'sentinel-1', prepares: true },
    { at: 0, fault: between('primary', 'sentinel-1'), until: PROMOTED },
  ],
};
