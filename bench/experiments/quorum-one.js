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

/** @type {import('./types.js').Performed} */
export default {
  ...WITH_GROUPS,
  id: 'quorum-one',
  needs: ['group-partition', 'configure'],
  whyNot: whyNotWithinHost,
  promotes: true,
  steps: [
    { at: 'before', fault: quorumOne, on: 'sentinel-1', prepares: true },
    { at: 0, fault: between('primary', 'sentinel-1'), until: PROMOTED },
  ],
};
