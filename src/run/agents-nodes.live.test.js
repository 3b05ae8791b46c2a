/**
 * A deployment whose nodes agents start for one run, on hosts of namespaces: nothing of it is left after the run, and after every kill -9.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { openAgentsOfRun } from '../agents/agents-run.js';
import { findMachines } from '../agents/machines.js';
import { killPart, machinesFolder, startPart } from '../agents/machines-fixture.js';
import { becomes, leftIn, runCli, startCli } from '../cli/fixture.js';
import { ownUid } from '../private-files.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { attachExternal } from '../stacks/redis/external/index.js';

const tmp = await ownTemporaryFolder();
const skip = await needs('redis-server', 'nats-server', 'namespaces');

const NODES = 6;
/** A run begins, on a busy machine. */
const START_MS = 60_000;

const folder = () => join(tmp, `sentinel-bench-nodes-${ownUid()}`);
const machines = () => String(machinesFolder(tmp));

/** @returns {string[]} working directories of processes of nodes */
function running() {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const directory = /^\d+$/.test(pid) ? readlinkSync(`/proc/${pid}/cwd`) : '';
      return directory.startsWith(folder()) ? [directory] : [];
    } catch {
      return [];
    }
  });
}

const isGone = () => running().length === 0 && !existsSync(folder());

function journals() {
  const undo = join(tmp, 'state', 'sentinel-bench', 'undo');
  return existsSync(undo) ? readdirSync(undo) : [];
}

/** @param {number} [replicas] */
function openAgents(replicas) {
  const found = findMachines();
  assert.ok(found);
  return openAgentsOfRun(
    { nats: found.nats, wanted: ['all'] },
    { load: false, writers: true, faults: true, nodes: { replicas } },
  );
}

describe('nodes by agents', { skip }, () => {
  before(async () => {
    const up = await runCli(['agents', 'up', '--namespaces', '3'], { tmp });
    assert.equal(up.status, 0, up.stderr);
  });
  after(async () => {
    const ended = await runCli(['agents', 'down'], { tmp });
    assert.equal(ended.status, 0, ended.stderr);
    assert.deepEqual(leftIn(tmp), []);
  });

  test('they are well, ask for a password, can be killed and started again, and end with the run', async () => {
    const agents = await openAgents();
    try {
      const started = await agents.startNodes?.();
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
        await assert.rejects(attachExternal({ ...started, credentials: {} }), /wants a password/);
        const [replica] = await stack.replicas();
        await stack.act(replica.id, 'kill');
        await becomes(() => running().length === NODES - 1, 'the replica has ended');
        await stack.act(replica.id, 'start');
        await becomes(() => running().length === NODES, 'the replica runs again');
        // The end of the run undoes this before it ends the nodes.
        await stack.act(replica.id, 'kill');
      } finally {
        await stack.close();
      }
    } finally {
      await agents.close();
    }
    assert.ok(isGone());
  });

  test('too few agents are refused, and leave nothing', async () => {
    const agents = await openAgents(4);
    try {
      await assert.rejects(async () => agents.startNodes?.(), /5 agents with --allow nodes are needed.* there are 3/);
    } finally {
      await agents.close();
    }
    assert.ok(isGone());
  });

  test('after kill -9 of the controller they end by themselves; after kill -9 of an agent by recover', async (t) => {
    const args = [
      'run',
      'replicas-paused',
      '--client',
      'native',
      '--backend',
      'agents',
      '--trials',
      '1',
      '--out',
      'out',
    ];
    const run = startCli([...args, '--agents', 'all'], { tmp });
    t.after(() => run.kill('SIGKILL'));
    // Which number a Sentinel gets depends on which one answers first.
    await run.says('stderr', /Faults by agents: host-1 \(redis-1, sentinel-\d\), host-2 \(redis-2/);
    await becomes(() => running().length === NODES, 'every node runs, once');
    await becomes(() => journals().length > 1, 'the first trial has begun', START_MS);
    const agent = Number(readFileSync(join(machines(), 'host-2', 'pid'), 'utf8'));
    killPart(machines(), 'host-2');
    await becomes(() => !existsSync(`/proc/${agent}/cwd`), 'the agent has ended');
    run.kill('SIGKILL');
    await eventually('the other agents end their nodes', () => running().every((each) => each.endsWith('redis-2')));
    assert.equal(running().length, 1);
    const recovered = await runCli(['recover'], { tmp });
    assert.equal(recovered.status, 0, recovered.stderr);
    assert.match(recovered.stderr, /Ended redis-2, which a killed agent had started/);
    assert.deepEqual([isGone(), journals()], [true, []]);
    startPart(machines(), 'host-2');
  });
});
