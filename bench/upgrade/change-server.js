/**
 * A node is shut down and starts again as another server, with its configuration and its files.
 *
 * @import { Fault } from '../../src/faults/types.js'
 */

/**
 * If this process is killed, the stack goes with it; the journal only has to know that the node was down.
 *
 * @param {string} server id of one of the servers of the run
 * @returns {Fault}
 */
export function changeServer(server) {
  return Object.freeze({
    name: `restart as ${server}`,
    what: `is shut down (SIGTERM) and starts as ${server}`,
    needs: /** @type {Fault['needs']} */ (['stop']),
    /** @type {Fault['inject']} */
    async inject({ stack, journal }, id) {
      const undo = await journal.note({ kind: 'act', id, action: 'start' });
      if (!stack.changeServer) throw new Error('only a local stack of ours can change its server');
      stack.changeServer(id, server);
      await stack.act(id, 'stop');
      await stack.act(id, 'start');
      return undo;
    },
  });
}
