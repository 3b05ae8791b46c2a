/**
 * A network split with nobody on the side of the node.
 *
 * @type {import('./types.js').Fault}
 */
export const isolate = {
  name: 'isolate',
  what: 'is cut from its peers and from all clients',
  needs: ['isolate'],
  async inject({ cluster, journal }, id) {
    const undo = await journal.note({ kind: 'act', id, action: 'join' });
    await cluster.act(id, 'isolate');
    return undo;
  },
};
