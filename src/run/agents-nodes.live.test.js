/**
 * A deployment whose nodes agents start for one run, on hosts of namespaces: nothing of it is left after the run, and after every kill -9.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { killPart, machinesFolder, nodesOfAgents, startPart, withAgentsUp } from '../agents/machines-fixture.js';
import { becomes, journalsIn, leftIn, runCli, startCli } from '../cli/fixture.js';
import { askNode } from '../stacks/ask.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { attachExternal } from '../stacks/redis/external/index.js';
import { mountsIn } from '../stacks/volumes/volume.js';
import { openAgents, runningNodes } from './agents-fixture.js';

const tmp = await ownTemporaryFolder();
const skip = await needs('redis-server', 'nats-server', 'namespaces');
const noDisk = await needs('volatile disk');

const NODES = 6;
/** A run begins, on a busy machine. */
const START_MS = 60_000;

const folder = () => nodesOfAgents(tmp);
const machines = () => String(machinesFolder(tmp));

const running = () => runningNodes(tmp);
const isGone = () => running().length === 0 && !existsSync(folder());

describe('nodes by agents', { skip }, () => {
  withAgentsUp(tmp, 3);

  test('they are well, ask for a password, can be killed and started again, and end with the run', async () => {
    const agents = await openAgents(['all'], { faults: true, nodes: true });
    try {
      const started = await agents.nodes?.start({});
      // A server that saves has a child for a moment.
      await becomes(() => running().length === NODES, 'every node runs, once');
      /** @type {string[]} */
      const told = [];
      const stack = await attachExternal({
        ...started,
        faults: agents.faults,
        tell: (line) => void told.push(line),
      });
      try {
        await stack.heal();
        assert.ok(stack.can.has('kill') && stack.can.has('group-partition'), told.join('\n'));
        assert.equal(new Set(stack.nodes.map(({ address }) => address.host)).size, 3);
        await assert.rejects(attachExternal({ ...started, credentials: {} }), /NOAUTH/);
        assert.ok(stack.can.has('sentinel-partition'));
        const flagsAt = (/** @type {string} */ id) =>
          askNode(stack, id, async (control) => {
            const words = /** @type {string[]} */ (await control.call('SENTINEL', 'MASTER', 'mymaster'));
            return words[words.indexOf('flags') + 1];
          });
        const isDownAt = async (/** @type {string} */ id) => (await flagsAt(id)).includes('s_down');
        for (const id of ['sentinel-1', 'sentinel-2'])
          await askNode(stack, id, (control) =>
            control.call('SENTINEL', 'SET', 'mymaster', 'down-after-milliseconds', 1000),
          );
        const { id: primary } = await stack.database.primary();
        await stack.network.groups?.divide({ groups: [[primary], ['sentinel-1']] });
        await eventually('the Sentinel on its machine does not reach it', () => isDownAt('sentinel-1'));
        assert.equal(await flagsAt('sentinel-2'), 'master', 'the others do');
        await stack.network.groups?.join();
        await eventually('it reaches it again', async () => !(await isDownAt('sentinel-1')));
        const [replica] = await stack.database.replicas();
        await stack.host.act(replica.id, 'kill');
        await becomes(() => running().length === NODES - 1, 'the replica has ended');
        await stack.host.act(replica.id, 'start');
        await becomes(() => running().length === NODES, 'the replica runs again');
        // The end of the run undoes this before it ends the nodes.
        await stack.host.act(replica.id, 'kill');
      } finally {
        await stack.close();
      }
    } finally {
      await agents.close();
    }
    assert.ok(isGone());
  });

  test('a disk loses its power, and after kill -9 of its agent recover removes it', { skip: noDisk }, async () => {
    const agents = await openAgents(['all'], { faults: true, nodes: true });
    try {
      const started = await agents.nodes?.start({ disk: true });
      assert.deepEqual(started?.deployed.can, ['power-loss', 'fill']);
      const stack = await attachExternal({ ...started, faults: agents.faults });
      try {
        await stack.heal();
        assert.ok(stack.can.has('power-loss'));
        const [{ id }] = stack.nodes;
        const size = () => askNode(stack, id, (control) => control.call('DBSIZE'));
        await askNode(stack, id, (control) => control.call('SET', 'kept', '1'));
        await askNode(stack, id, (control) => control.call('SAVE'));
        await stack.host.act(id, 'fill');
        await assert.rejects(
          askNode(stack, id, (control) => control.call('SAVE')),
          /ERR/,
        );
        await stack.host.act(id, 'free');
        await askNode(stack, id, (control) => control.call('SET', 'lost', '1'));
        await stack.host.act(id, 'power-loss');
        assert.deepEqual(mountsIn(tmp), []);
        await assert.rejects(size());
        await stack.host.act(id, 'start');
        await eventually('it has loaded what was flushed', async () => (await size().catch(() => 0)) === 1);
        await killPart(machines(), 'host-1');
      } finally {
        await stack.close();
      }
    } finally {
      await agents.close();
    }
    assert.notDeepEqual(mountsIn(tmp), [], 'nobody has removed the disk');
    const recovered = await runCli(['recover'], { tmp });
    assert.equal(recovered.status, 0, recovered.stderr);
    assert.deepEqual(
      [isGone(), journalsIn(tmp), leftIn(tmp).filter((what) => !what.includes(machines()))],
      [true, [], []],
    );
    startPart(machines(), 'host-1');
    await eventually('the agent serves again', async () => {
      const { stdout } = await runCli(['agents', 'list', '--json'], { tmp });
      return JSON.parse(stdout).agents.length === 3;
    });
  });

  test('after kill -9 of the controller they end by themselves; after kill -9 of an agent by recover', async (t) => {
    const args = ['run', 'replicas-paused', '--client', 'native', '--trials', '1', '--out', 'out'];
    const run = startCli([...args, '--backend', 'agents', '--agents', 'all'], { tmp });
    t.after(() => run.kill('SIGKILL'));
    await run.says(
      'stderr',
      /host-1 \(redis-1, sentinel-1\), host-2 \(redis-2\), host-3 \(redis-3, sentinel-2, sentinel-3\)/,
    );
    await becomes(() => running().length === NODES, 'every node runs, once');
    await becomes(() => journalsIn(tmp).length > 1, 'the first trial has begun', START_MS);
    await killPart(machines(), 'host-2');
    run.kill('SIGKILL');
    await eventually('the other agents end their nodes', () => running().every((each) => each.endsWith('redis-2')));
    assert.equal(running().length, 1);
    const recovered = await runCli(['recover'], { tmp });
    assert.equal(recovered.status, 0, recovered.stderr);
    assert.match(recovered.stderr, /Ended redis-2, which a killed agent had started/);
    assert.deepEqual([isGone(), journalsIn(tmp)], [true, []]);
    startPart(machines(), 'host-2');
  });
});
