import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROFILES } from './profiles.js';
import { createScene } from './scene.js';

const NODES = ['redis-1', 'redis-2'].map((id) => ({ id, kind: 'redis' }));
const KILL = { name: 'kill', what: 'is killed', needs: [], inject: async () => async () => {} };

/**
 * @param {(string | null)[]} processes what a node runs, each time it is asked
 * @param {{id?: string, promoted?: boolean}} [how]
 * @returns {Promise<boolean>} the scene says that a supervisor restarted the primary
 */
async function saysRestarted(processes, { id = 'redis-1', promoted = false } = {}) {
  const stack = { nodes: NODES, about: {}, database: { failover: {} } };
  const options = {
    site: { stack },
    primary: NODES[0],
    profile: PROFILES.quick,
    clock: { beganAt: 0 },
    noteProcess: async () => processes.shift() ?? null,
    signal: new AbortController().signal,
  };
  const { scene, events, hear } = createScene(/** @type {any} */ (options));
  const undo = await scene.inject(/** @type {any} */ (KILL), id);
  if (promoted) hear({ at: 1, who: 'sentinel-1', kind: 'promoted', about: 'redis-2' });
  await undo();
  return events().some(({ kind, node }) => kind === 'restarted' && node === 'redis-1');
}

test('a primary that runs another process before the harness starts it was restarted by a supervisor', async () => {
  assert.equal(await saysRestarted(['a', 'b']), true);
  assert.equal(await saysRestarted(['a', 'a']), false, 'it never ended');
  assert.equal(await saysRestarted(['a', null]), false, 'it is down');
  assert.equal(await saysRestarted([null, 'b']), false, 'nobody knows what it ran');
  assert.equal(await saysRestarted(['a', 'b'], { promoted: true }), false, 'a failover');
  assert.equal(await saysRestarted(['a', 'b'], { id: 'redis-2' }), false, 'a replica');
});
