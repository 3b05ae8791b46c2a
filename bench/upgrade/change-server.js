/** A node is shut down and starts again as another server, with its configuration and its files. */
/** @import { Fault } from '../types.js' */

/**
 * If this process is killed, the stack goes with it; the journal only has to know that the node was down.
 * @param {string} server id of one of the servers of the run
 * @returns {Fault} the node is down until this is undone, and is the other server then
 */
export function stopFor(server) {
  return {
    name: `stop, then ${server}`,
    what: `is shut down (SIGTERM); it starts as ${server}`,
    needs: ['stop'],
    async inject({ stack, journal }, id) {
      const undo = await journal.note({ kind: 'act', id, action: 'start' });
      if (!stack.host.changeServer) throw new Error('only a local stack of ours can change its server');
      stack.host.changeServer(id, server);
      await stack.host.act(id, 'stop');
      return undo;
    },
  };
}

/** @param {string} server id of one of the servers of the run @returns {Fault} it starts at once */
export function changeServer(server) {
  const stop = stopFor(server);
  return {
    ...stop,
    name: `restart as ${server}`,
    what: `is shut down (SIGTERM) and starts as ${server}`,
    async inject(site, id) {
      const undo = await stop.inject(site, id);
      await site.stack.host.act(id, 'start');
      return undo;
    },
  };
}
