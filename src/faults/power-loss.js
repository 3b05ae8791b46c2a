/** @import { Fault } from './types.js' */

/**
 * A machine loses power, and its disk loses what it has confirmed but not written: the processes of the node and the cache of its disk are
 * gone in the same instant. Undone, the node starts from what was flushed. Its Sentinels' configuration is not on that disk.
 * @type {Fault}
 */
export const powerLoss = {
  name: 'power-loss',
  what: 'loses power: its process and the cache of its disk are gone',
  needs: ['power-loss'],
  async inject({ stack, journal }, id) {
    const undo = await journal.note({ kind: 'act', id, action: 'start' });
    await stack.host.act(id, 'power-loss');
    return undo;
  },
};
