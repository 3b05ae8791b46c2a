/**
 * A node that hangs: nothing is refused and nothing is answered. As long as it lasts, what was sent waits in its sockets.
 *
 * @type {import('./types.js').Fault}
 */
export const pause = {
  name: 'pause',
  what: 'stands still; its sockets stay open',
  needs: ['pause'],
  async inject({ cluster, journal }, id) {
    const undo = await journal.note({ kind: 'act', id, action: 'resume' });
    await cluster.act(id, 'pause');
    return undo;
  },
};
