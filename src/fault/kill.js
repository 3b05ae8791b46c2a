/**
 * A node that crashes. Its machine lives on, so what it had handed to the system is still sent.
 *
 * @type {import('./types.js').Fault}
 */
export const kill = {
  name: 'kill',
  what: 'ends at once (SIGKILL) and stays away',
  needs: ['kill'],
  async inject({ cluster, journal }, id) {
    const undo = await journal.note({ kind: 'act', id, action: 'start' });
    await cluster.act(id, 'kill');
    return undo;
  },
};
