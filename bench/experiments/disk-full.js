/** The disk of the primary, with its append-only file, is full. */
import { fill } from '../../src/faults/index.js';
import { PROMOTED } from '../../src/run/perform.js';
import { whyNoPowerLoss } from './primary-power-lost.js';

/** @import { Fault } from '../../src/faults/types.js' */

/**
 * With appendfsync always the node ends itself when it cannot write, so it is started when there is room again.
 * @type {Fault}
 */
export const fillAndStart = {
  ...fill,
  needs: [...fill.needs, 'kill'],
  async inject(site, id) {
    const start = await site.journal.note({ kind: 'act', id, action: 'start' });
    const free = await fill.inject(site, id);
    return async () => {
      await free();
      await start();
    };
  },
};

/** @type {import('./types.js').Performed} */
export default {
  id: 'disk-full',
  needs: fillAndStart.needs,
  whyNot: (_theCase, stack) => whyNoPowerLoss(stack),
  steps: [{ at: 0, fault: fillAndStart, until: PROMOTED }],
  // A primary that only refuses writes may stay the primary: then there is no demotion to wait for.
};
