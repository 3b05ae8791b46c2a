import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAgentsNodes } from './agents-nodes.js';
import { openAgentsTrials } from './agents-trials.js';
import { RebuildRequest, StartRequest } from './host-protocol.js';

/** @import { Controller } from './controller.js' */

const SERVER = { name: 'redis', version: '7.0.15' };

/** @param {string[]} names @param {'redis' | 'mariadb'} [system] */
function controllerOf(names, system) {
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
  const known = /** @type {Controller} */ (/** @type {unknown} */ (controller));
  return { controller: known, nodes: openAgentsNodes(known, system), asked };
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

test('a node of MariaDB is on each of the last three agents, can be rebuilt there, and clients need a machine of their own', async () => {
  const { controller, nodes, asked } = controllerOf(['a', 'b', 'c', 'd'], 'mariadb');
  const { deployed, credentials } = await nodes.start({ disk: true });
  assert.deepEqual(places({ deployed, credentials }), ['mariadb-1 at 2', 'mariadb-2 at 3', 'mariadb-3 at 4']);
  assert.equal(credentials.username, 'bench_app');
  const starts = asked.filter(([, operation]) => operation === 'nodes-start').map(([name, , { disk }]) => [name, disk]);
  assert.deepEqual(starts, [
    ['b', 'mariadb-1'],
    ['c', null],
    ['d', null],
  ]);
  await deployed.rebuild('mariadb-3');
  assert.deepEqual(asked.at(-1), ['d', 'nodes-rebuild', { node: 'mariadb-3' }]);

  assert.equal(openAgentsTrials(controller, nodes).whyNot(['sticky'], {}), null);
  const three = controllerOf(['a', 'b', 'c'], 'mariadb');
  assert.match(
    String(openAgentsTrials(three.controller, three.nodes).whyNot(['sticky'], {})),
    /machines without nodes; use 4 agents/,
  );
  const two = controllerOf(['a', 'b'], 'mariadb');
  assert.match(String(two.nodes.whyNot({})), /3 MariaDB nodes .* there are 2/);
});

test('agents start the nodes of one system, and nothing with another name', () => {
  const start = (/** @type {object} */ more) =>
    StartRequest.safeParse({
      system: 'mariadb',
      nodes: [{ id: 'mariadb-1', host: '10.0.0.1', port: 7000, own: true }],
      disk: null,
      password: 'p'.repeat(32),
      ...more,
    }).success;
  assert.ok(start({}));
  assert.equal(start({ system: 'redis' }), false);
  assert.equal(start({ system: 'mysqld' }), false);
  assert.equal(start({ password: `${'p'.repeat(32)}'; DROP DATABASE mysql; --` }), false);
  for (const id of ['mariadb-4', '../mariadb-1', 'mariadb-1/..'])
    assert.deepEqual(
      [
        start({ nodes: [{ id, host: '10.0.0.1', port: 7000, own: true }] }),
        RebuildRequest.safeParse({ node: id }).success,
      ],
      [false, false],
      id,
    );
});
