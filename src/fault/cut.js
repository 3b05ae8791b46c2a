/**
 * A network split with the clients on the side of the node: where two primaries can be written at once.
 *
 * @type {import('./types.js').Fault}
 */
export const cut = {
  name: 'cut',
  what: 'loses its peers; clients still reach it',
  needs: ['cut'],
  async inject({ cluster, journal }, id) {
    const undo = await journal.note({ kind: 'act', id, action: 'join' });
    await cluster.act(id, 'cut');
    return undo;
  },
};
