/** @import { Fault } from './types.js' */

/**
 * A node that crashes and is started again at once, in place, as a supervisor does: often before a Sentinel has noticed.
 *
 * @type {Fault}
 */
export const restart = {
  name: 'restart',
  what: 'ends at once (SIGKILL) and is started again',
  needs: ['kill'],
  async inject({ cluster, journal }, id) {
    const undo = await journal.note({ kind: 'act', id, action: 'start' });
    await cluster.act(id, 'kill');
    await cluster.act(id, 'start');
    return undo;
  },
};
