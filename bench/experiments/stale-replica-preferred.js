import { WITH_GROUPS } from './groups.js';

/** @type {import('./types.js').Performed} */
export default {
  id: 'stale-replica-preferred',
  async whyNot(theCase, stack) {
    if (theCase.params.setting === 'empty' && !stack.host.files)
      return 'It removes the data of a replica, so it needs a stack that the run starts.';
    return WITH_GROUPS.whyNot(theCase, stack);
  },
};
