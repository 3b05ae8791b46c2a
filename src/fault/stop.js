/**
 * A node that is shut down: a primary waits for its replicas to catch up before it ends.
 *
 * @type {import('./types.js').Fault}
 */
export const stop = {
  name: 'stop',
  what: 'ends in order (SIGTERM) and stays away',
  needs: ['stop'],
  async inject({ cluster, journal }, id) {
    const undo = await journal.note({ kind: 'act', id, action: 'start' });
    await cluster.act(id, 'stop');
    return undo;
  },
};
