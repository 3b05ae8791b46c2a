/**
 * A healthy stack's snapshot, for tests of what is computed from one.
 *
 * @returns {import('./observe.js').Snapshot} redis-1 is the primary
 */
export function readySnapshot() {
  /** @param {number} port */
  const at = (port) => ({ host: '127.0.0.1', port });
  /** @param {number} index */
  const replica = (index) => ({
    id: `redis-${index + 1}`,
    announced: at(6379 + index),
    error: null,
    role: /** @type {const} */ ('replica'),
    follows: at(6379),
    linkUp: true,
    offset: 1200,
    lagBytes: 0,
    lagSeconds: 0,
    online: true,
  });
  return {
    masterName: 'mymaster',
    primary: 'redis-1',
    redis: [
      {
        ...replica(0),
        role: 'primary',
        follows: null,
        linkUp: false,
        lagBytes: null,
        lagSeconds: null,
        online: false,
      },
      replica(1),
      replica(2),
    ],
    sentinels: [0, 1, 2].map((index) => ({
      id: `sentinel-${index + 1}`,
      announced: at(26379 + index),
      error: null,
      primary: at(6379),
      flags: ['master'],
      replicas: [6380, 6381].map((port) => ({ address: at(port), flags: ['slave'], heard: true })),
      otherSentinels: 2,
      tilt: false,
      quorum: { ok: true, text: 'OK 3 usable Sentinels. Quorum and failover authorization can be reached' },
    })),
  };
}
