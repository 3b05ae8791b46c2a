import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAgentsNodes } from './agents-nodes.js';
import { StartRequest } from './nodes-protocol.js';

/** @import { Controller } from './controller.js' */

const SERVER = { name: 'redis', version: '7.0.15' };

/** @param {string[]} names */
function controllerOf(names) {
  /** @type {[string, string, any][]} */
  const asked = [];
  const controller = {
    run: 'feed',
    agents: names.map((name) => ({ name })),
    async ask(/** @type {string} */ agent, /** @type {string} */ operation, /** @type {any} */ body) {
      asked.push([agent, operation, body]);
      if (operation === 'nodes-start') StartRequest.parse(body);
      if (operation !== 'nodes-place') return {};
      const ports = Array.from({ length: body.nodes }, (_, index) => 7000 + index);
      return { address: `10.0.0.${names.indexOf(agent) + 1}`, ports, whyNoDisk: null, server: SERVER };
    },
  };
  return { nodes: openAgentsNodes(/** @type {Controller} */ (/** @type {unknown} */ (controller))), asked };
}

/** @param {Awaited<ReturnType<ReturnType<typeof openAgentsNodes>['start']>>} started */
const places = ({ deployed }) => deployed.nodes.map(({ id, address }) => `${id} at ${address.host.at(-1)}`);

test('nodes are on the last agents, and have the same ids in every trial', async () => {
  const { nodes, asked } = controllerOf(['a', 'b', 'c', 'd']);
  const apart = await nodes.start({});
  assert.deepEqual(places(apart), [
    'redis-1 at 2',
    'redis-2 at 3',
    'redis-3 at 4',
    'sentinel-1 at 2',
    'sentinel-2 at 4',
    'sentinel-3 at 4',
  ]);
  const beside = asked
    .filter(([, operation]) => operation === 'nodes-start')
    .map(([name, , body]) => [
      name,
      body.nodes.filter((/** @type {{own: boolean}} */ { own }) => own).map((/** @type {{id: string}} */ { id }) => id),
    ]);
  assert.deepEqual(beside, [
    ['b', ['redis-1', 'sentinel-1']],
    ['c', ['redis-2']],
    ['d', ['redis-3', 'sentinel-2', 'sentinel-3']],
  ]);
  const colocated = await nodes.start({ placement: 'colocated' });
  assert.deepEqual(places(colocated).slice(3), ['sentinel-1 at 2', 'sentinel-2 at 3', 'sentinel-3 at 4']);
  assert.notEqual(apart.deployed.identity, colocated.deployed.identity);
  assert.notEqual(apart.credentials.password, colocated.credentials.password);
  assert.ok(
    asked.findLastIndex(([, operation]) => operation === 'nodes-stop') <
      asked.findLastIndex(([, operation]) => operation === 'nodes-place'),
  );
});

test('a size for which there are too few agents is refused before anything is asked', async () => {
  const { nodes, asked } = controllerOf(['a', 'b', 'c', 'd']);
  assert.equal(nodes.whyNot({}), null);
  assert.match(String(nodes.whyNot({ replicas: 4 })), /5 Redis nodes .* there are 4/);
  await assert.rejects(nodes.start({ replicas: 4 }), /5 Redis nodes/);
  assert.deepEqual(asked, []);
});
