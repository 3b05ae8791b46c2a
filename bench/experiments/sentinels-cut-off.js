import { between } from '../../src/run/perform.js';
import { WITH_GROUPS, whyNotWithinHost } from './groups.js';

const SECONDS = 15;

/** @type {import('./types.js').Performed} */
export default {
  ...WITH_GROUPS,
  id: 'sentinels-cut-off',
  whyNot: whyNotWithinHost,
  promotes: true,
  steps: [{ at: 0, fault: between('primary', 'sentinels'), lasts: SECONDS }],
};
