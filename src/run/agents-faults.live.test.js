/**
 * Faults of somebody else's deployment, injected by agents beside its nodes: on hosts of namespaces, with real kills and real partitions.
 */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ResultSchema } from '../../bench/index.js';
import { needs } from '../../test/needs.js';
import { connectNats } from '../agents/connection.js';
import { askAgent, newRunId } from '../agents/controller.js';
import { HOSTS, REDIS_PORT, SENTINELS, startDeployment } from '../agents/deployment-fixture.js';
import { killPart, machinesFolder, startPart } from '../agents/machines-fixture.js';
import { recheck } from '../audit/recheck.js';
import { becomes, journalsIn, leftIn, runCli } from '../cli/fixture.js';
import { groupPartition, kill, NETWORK, pause } from '../faults/index.js';
import { askNode } from '../stacks/ask.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { isPaused } from '../stacks/hosts/processes.js';
import { isReady } from '../stacks/redis/conformance-help.js';
import { attachExternal } from '../stacks/redis/external/index.js';
import { natsOfMachines, onHost, openAgents, rulesOn } from './agents-fixture.js';
import { DEFAULT_PARAMS } from './case.js';
import { PROFILES } from './profiles.js';
import { runTrial } from './trial.js';

/**
 * @import { AgentsOfRun } from '../agents/agents-run.js'
 * @import { NodeInfo, Stack } from '../stacks/types.js'
 * @import { Profile, Scene, TrialBenchmark } from './types.js'
 */

const tmp = await ownTemporaryFolder();
const skip = await needs('redis-server', 'nats-server', 'namespaces');
const noQueues = await needs('narrow links');

const RATE = 200;
const DOWN_AFTER_MS = 1000;
const FAILOVER_SECONDS = 20;
const DEMOTION_SECONDS = 40;
const PARTITION_SECONDS = 3;
const APART_SECONDS = 0.2;
/** A value that takes a second through a narrow link. */
const NARROW_BYTES = 200_000;
const NARROW_MS = 1000;
const NARROW_WAIT_MS = 10_000;
/** An agent misses its controller after 3 s, then undoes. */
const HEALED_MS = 3000 + 2000;
const WRITERS = ['host-4', 'host-5'];
const BESIDE = ['host-1', 'host-2', 'host-3'];

const profile = /** @type {Profile} */ ({ ...PROFILES.quick, trials: 1 });
/** @type {Awaited<ReturnType<typeof startDeployment>>} */
let deployment;

const machines = () => String(machinesFolder(tmp));

const rules = (/** @type {number} */ host) => rulesOn(deployment.identity, host);
/** @param {number} host @param {...string} args of tc there */
const tcOn = (host, ...args) => onHost(deployment.identity, host, 'tc', ...args);

/** @returns {number[]} hosts with a queue that is not the kernel's choice */
const queues = () => HOSTS.filter((host) => tcOn(host, 'qdisc', 'show').match(/^qdisc \S+ (?!0:)\S+ dev \S+ root/m));

/** @param {number} host @returns {string} connections of its Redis node that its kernel knows */
const connectionsOf = (host) =>
  onHost(deployment.identity, host, 'ss', '-tnH', 'src', `${deployment.hostOf(host)}:${REDIS_PORT}`);

const allRules = () => HOSTS.flatMap(rules);
const paused = () => HOSTS.filter((host) => isPaused(deployment.pidOf(host) ?? 0));
const down = () => HOSTS.filter((host) => deployment.pidOf(host) === undefined);

async function nothingLeft() {
  await eventually('no journal is left', () => journalsIn(tmp).length === 0);
  assert.deepEqual([allRules(), queues(), paused(), down()], [[], [], [], []]);
  assert.equal(deployment.running().length, HOSTS.length + SENTINELS.length);
}

/** @param {AgentsOfRun} agents @param {string[]} [told] */
function attach(agents, told = []) {
  return attachExternal({
    sentinels: [deployment.sentinel],
    faults: agents.faults,
    tell: (line) => void told.push(line),
  });
}

/** @param {(stack: Stack, agents: AgentsOfRun) => Promise<void>} work @param {readonly string[]} [wanted] */
async function withStack(work, wanted = [...WRITERS, ...BESIDE]) {
  const agents = await openAgents(wanted, { faults: true });
  try {
    /** @type {string[]} */
    const told = [];
    const stack = await attach(agents, told);
    assert.ok(stack.can.has('kill') && stack.can.has('group-partition'), told.join('\n'));
    await stack.heal();
    try {
      await work(stack, agents);
    } finally {
      await stack.close();
    }
  } finally {
    await agents.close();
  }
}

/**
 * @param {Stack} stack
 * @param {AgentsOfRun} agents
 * @param {string} name
 * @param {string[]} writers
 * @param {(scene: Scene) => Promise<void>} script
 * @param {string} folder gets the ledgers
 */
function trialOf(stack, agents, name, writers, script, folder) {
  return runTrial({
    stack,
    theCase: {
      id: name,
      params: {
        ...DEFAULT_PARAMS,
        client: 'native',
        rate: RATE,
        connections: 4,
        writers,
        wait: 1,
        settings: { 'min-replicas-to-write': '1' },
      },
    },
    benchmark: /** @type {TrialBenchmark} */ (
      /** @type {unknown} */ ({ name: 'by-agents', kind: 'trial', needs: [], script })
    ),
    round: 1,
    profile,
    folder,
    notKept: (error) => assert.fail(error.message),
    agentsTrials: agents.trials,
    signal: new AbortController().signal,
  });
}

/** @param {NodeInfo} node @returns {number} */
const hostOf = ({ address }) => HOSTS.findIndex((host) => deployment.hostOf(host) === address.host);

/** @param {Awaited<ReturnType<typeof trialOf>>} outcome */
const losses = ({ audits }) => audits.map(({ writer, acked, ackedLost }) => ({ writer, acked, ackedLost }));

describe('faults by agents', { skip }, () => {
  before(async () => {
    const up = await runCli(['agents', 'up', '--namespaces', '5'], { tmp });
    assert.equal(up.status, 0, up.stderr);
    deployment = await startDeployment(machines(), tmp, { downAfterMs: DOWN_AFTER_MS });
  });
  after(async () => {
    deployment?.end();
    const ended = await runCli(['agents', 'down'], { tmp });
    assert.equal(ended.status, 0, ended.stderr);
    assert.deepEqual(leftIn(tmp), []);
  });

  test('kills, freezes, and separates hosts: the losses are those of one side', async (t) => {
    await withStack(async (stack, agents) => {
      const writers = ['sticky@minority', 'failover-aware@majority'];
      const folder = mkdtempSync(join(tmp, 'run-'));
      const script = async (/** @type {Scene} */ scene) => {
        const { primary, replicas, write, inject, until, switched, demoted } = scene;
        const away = deployment.hostOf(2);
        assert.notEqual(primary.address.host, away);
        const on = (/** @type {boolean} */ there) =>
          stack.nodes.filter(({ address }) => (address.host === away) === there);
        const groups = [
          [...on(false).map(({ id }) => id), 'minority'],
          [...on(true).map(({ id }) => id), 'majority'],
        ];
        await write(0.5);
        const host = hostOf(replicas[0]);
        const pid = deployment.pidOf(host);
        const restart = await inject(kill, replicas[0].id);
        assert.deepEqual(down(), [host]);
        await restart();
        assert.notEqual(deployment.pidOf(host), pid);
        const wake = await inject(pause, primary.id);
        assert.deepEqual(paused(), [hostOf(primary)]);
        await wake();
        assert.deepEqual(paused(), []);
        await eventually('the replica is back', () => isReady(stack));
        const undo = await inject(groupPartition({ groups }), NETWORK);
        assert.equal(allRules().length, HOSTS.length);
        assert.ok(await until(switched, FAILOVER_SECONDS));
        await write(PARTITION_SECONDS);
        await undo();
        assert.deepEqual(allRules(), []);
        assert.ok(await until(() => demoted(primary.id), DEMOTION_SECONDS));
        await write(0.5);
      };
      const outcome = await trialOf(stack, agents, 'three-faults', writers, script, folder);
      t.diagnostic(`partition: ${JSON.stringify(losses(outcome))}`);
      const [minority, majority] = losses(outcome);
      // Beside the primary and a replica every write is confirmed, for the whole partition.
      assert.ok(minority.ackedLost > RATE * PARTITION_SECONDS * 0.8);
      // The agents drop packets some milliseconds apart.
      assert.ok(majority.ackedLost < RATE * APART_SECONDS);
      const again = await recheck(folder, ResultSchema);
      const lost = again.writers.map(({ audit }) => audit?.ackedLost);
      assert.deepEqual(lost, [majority.ackedLost, minority.ackedLost], 'its ledgers say the same');
      const { agents: hosts = [] } = outcome.trial;
      assert.deepEqual(
        hosts.map(({ name, writers: [writer] }) => [name, writer]),
        WRITERS.map((name, i) => [name, writers[i]]),
      );
      for (const { clock } of hosts) {
        assert.ok(clock.boundMs >= clock.roundTripMs / 2);
        // One machine, so the clocks are one.
        assert.ok(Math.abs(clock.offsetMs) <= clock.boundMs + 1, JSON.stringify(clock));
      }
    });
    await nothingLeft();
  });

  test('stops, loses and isolates a node, and undoes each', async () => {
    await withStack(async (stack) => {
      const [replica, other] = await stack.database.replicas();
      const host = hostOf(replica);
      const answers = () => askNode(stack, replica.id, async () => true).catch(() => false);
      await stack.host.act(replica.id, 'stop');
      assert.deepEqual([down(), allRules()], [[host], []]);
      await stack.host.act(replica.id, 'start');
      await stack.host.act(replica.id, 'lose');
      assert.deepEqual([down(), rules(host).length], [[host], 1]);
      assert.equal(connectionsOf(host), '', 'its kernel has nothing more to send');
      const beside = SENTINELS.filter((sentinel) => sentinel.host === host).length;
      const all = HOSTS.length + SENTINELS.length;
      assert.equal(deployment.running().length, all - 1 - beside, 'the Sentinels of its machine are lost, too');
      await stack.host.act(replica.id, 'start');
      await becomes(() => deployment.running().length === all, 'they run again');
      assert.deepEqual([down(), allRules()], [[], []]);
      await eventually('it answers', answers);
      await stack.host.act(replica.id, 'isolate');
      assert.equal(await answers(), false);
      await stack.host.act(replica.id, 'join');
      assert.deepEqual(allRules(), []);
      assert.equal(await answers(), true);
      await stack.network.groups?.divide({ groups: [[replica.id], [other.id]], oneWay: true });
      assert.deepEqual(
        HOSTS.filter((each) => rules(each).length > 0),
        [hostOf(other)],
        'where the packets arrive',
      );
      await stack.network.groups?.join();
    });
    await nothingLeft();
  });

  test('a node without an agent beside it is refused by name', async () => {
    // After it every node is known to the Sentinels again.
    await withStack(async () => {});
    const agents = await openAgents(['host-4', 'host-1', 'host-3'], { faults: true });
    try {
      await assert.rejects(attach(agents), {
        name: 'UserError',
        message: /^No agent with --allow faults runs beside redis-\d at [\d.]+\.2:6379\.$/,
      });
    } finally {
      await agents.close();
    }
  });

  test('a request for another machine, another program, or an unknown action is refused', async () => {
    const nats = await connectNats(natsOfMachines(), { reconnect: false });
    const run = newRunId();
    /** @param {string} operation @param {object} body */
    const ask = (operation, body) =>
      askAgent(nats, {
        run,
        agent: 'host-1',
        operation: /** @type {any} */ (operation),
        body: /** @type {any} */ (body),
      });
    const deploymentAt = (/** @type {string} */ host) => ({
      system: 'redis',
      nodes: [{ id: 'redis-1', host, port: 7000, own: true }],
      password: 'of-the-nodes-of-this-run',
      disk: null,
    });
    const [own, other, stranger] = [deployment.hostOf(0), deployment.hostOf(1), '192.0.2.1'];
    const lane = { from: own, to: other, fromPort: REDIS_PORT, delayMs: 0, jitterMs: 0, bytesPerSecond: 1000 };
    try {
      const kills = { node: { host: own, port: REDIS_PORT }, action: 'kill' };
      await assert.rejects(ask('faults-act', kills), /stopped by itself/);
      await ask('begin', {});
      for (const [operation, body, why] of /** @type {[string, object, RegExp][]} */ ([
        ['faults-act', { ...kills, node: { host: other, port: REDIS_PORT } }, /is no address of its machine/],
        // NATS listens there.
        [
          'faults-act',
          { ...kills, node: { host: own, port: 4222 } },
          /No Redis or Valkey server and no Sentinel listens/,
        ],
        ['faults-act', { ...kills, node: { host: `${own}; reboot`, port: REDIS_PORT } }, /malformed at node\.host/],
        ['faults-act', { ...kills, action: 'reboot' }, /malformed at action/],
        ['faults-act', { ...kills, command: 'reboot' }, /malformed/],
        ['faults-cut', { blocks: [{ from: [other], to: [stranger] }] }, /only packets from and to its own addresses/],
        ['faults-cut', { blocks: [{ from: [own, stranger], to: [other] }] }, /only packets from and to/],
        ['faults-cut', { blocks: [{ from: ['0.0.0.0/0'], to: [own] }] }, /malformed at blocks\.0/],
        ['faults-cut', { blocks: [{ around: { host: own, port: 4222 } }] }, /listens/],
        ['faults-cut', { blocks: [{ sentBy: kills.node, to: { host: other, port: 1 } }] }, /has no group of its own/],
        ['faults-slow', { lanes: [{ ...lane, from: other }] }, /only what it sends to other machines/],
        ['faults-slow', { lanes: [{ ...lane, to: own }] }, /only what it sends to other machines/],
        ['faults-slow', { lanes: [{ ...lane, fromPort: 4222 }] }, /listens/],
        ['faults-slow', { lanes: [{ ...lane, to: `${other}/32 action drop` }] }, /malformed at lanes\.0\.to/],
        ['nodes-start', deploymentAt(other), /is no address of its machine/],
        ['nodes-start', { ...deploymentAt(own), settings: { loadmodule: '/tmp/x.so' } }, /malformed/],
        ['nodes-start', { ...deploymentAt(own), disk: '../../etc' }, /malformed at disk/],
        ['nodes-start', { ...deploymentAt(own), password: 'x\nloadmodule /tmp/x.so' }, /malformed at password/],
        ['faults-run', { command: 'reboot' }, /knows no operation/],
      ]))
        await assert.rejects(ask(operation, body), why, `${operation} ${JSON.stringify(body)}`);
      await ask('end', {});
    } finally {
      await nats.close();
    }
    await nothingLeft();
  });

  test('narrows the links of the primary, and leaves no queue; one of somebody else stays', {
    skip: noQueues,
  }, async () => {
    const value = 'x'.repeat(NARROW_BYTES);
    await withStack(async (stack) => {
      assert.ok(stack.can.has('narrow-link'));
      const primary = await stack.database.primary();
      const host = hostOf(primary);
      /** @returns {Promise<number[]>} milliseconds until it was written, and until a replica has it */
      const write = () =>
        askNode(
          stack,
          primary.id,
          async (control) => {
            const beganAt = performance.now();
            await control.call('SET', 'narrow', value);
            const writtenMs = performance.now() - beganAt;
            assert.ok(Number(await control.call('WAIT', 1, NARROW_WAIT_MS)) >= 1);
            return [writtenMs, performance.now() - beganAt];
          },
          { timeoutMs: NARROW_WAIT_MS },
        );
      assert.ok((await write())[1] < NARROW_MS / 2);
      await stack.network.slow({ latencyMs: 0, bytesPerSecond: NARROW_BYTES }, primary.id);
      assert.deepEqual(queues(), HOSTS);
      const [writtenMs, confirmedMs] = await write();
      assert.ok(writtenMs < NARROW_MS / 2, 'clients are not slowed');
      assert.ok(confirmedMs > NARROW_MS * 0.7, `confirmed after ${confirmedMs} ms`);
      await stack.network.slow(null, primary.id);
      assert.deepEqual(queues(), []);

      await stack.network.slow({ latencyMs: 0, bytesPerSecond: NARROW_BYTES }, primary.id);
      await killPart(machines(), `host-${host + 1}`);
      assert.ok(queues().includes(host), 'nobody else can remove it');
      startPart(machines(), `host-${host + 1}`);
      await eventually('its next start removes it', () => !queues().includes(host));
      await stack.heal();
      assert.deepEqual(queues(), []);
      await askNode(stack, primary.id, (control) => control.call('DEL', 'narrow'));
    });
    await nothingLeft();

    const foreign = ['dev', 'eth0', 'root', 'handle', '7:'];
    tcOn(0, 'qdisc', 'add', ...foreign, 'pfifo', 'limit', '1000');
    const agents = await openAgents([...WRITERS, ...BESIDE], { faults: true });
    try {
      /** @type {string[]} */
      const told = [];
      const stack = await attach(agents, told);
      assert.ok(!stack.can.has('narrow-link'));
      assert.match(told.join('\n'), /host-1 cannot narrow links: its interface eth0 has a queue of somebody else \(7:/);
      await stack.close();
    } finally {
      await agents.close();
      assert.match(tcOn(0, 'qdisc', 'show'), /pfifo 7: dev eth0/);
      tcOn(0, 'qdisc', 'delete', 'dev', 'eth0', 'root');
    }
  });

  test('without NATS the agents undo by themselves', async (t) => {
    await withStack(async (stack) => {
      const [replica, other] = await stack.database.replicas();
      await stack.host.act(replica.id, 'pause');
      await stack.network.groups?.divide({ groups: [[replica.id], [other.id]] });
      assert.deepEqual([paused().length, allRules().length], [1, 2]);
      await killPart(machines(), 'nats');
      const killedAt = performance.now();
      await eventually('the agents heal', () => paused().length + allRules().length === 0);
      const healedMs = performance.now() - killedAt;
      t.diagnostic(`healed ${Math.round(healedMs)} ms after kill -9 of NATS`);
      assert.ok(healedMs < HEALED_MS);
      await eventually('the controller misses them', () => stack.host.faultsLost?.().aborted);
      startPart(machines(), 'nats');
      // Undone already; doing it again does no harm.
      await stack.heal();
    });
    await nothingLeft();
  });

  test('after kill -9 of an agent, recover undoes its faults, and so does its next start', async () => {
    await withStack(async (stack) => {
      const [replica, other] = await stack.database.replicas();
      const [host, otherHost] = [replica, other].map(hostOf);
      await stack.host.act(replica.id, 'partition');
      await stack.host.act(replica.id, 'kill');
      assert.deepEqual([down(), allRules().length], [[host], HOSTS.length]);
      await killPart(machines(), `host-${host + 1}`);
      await eventually('its end is noticed', () => stack.host.faultsLost?.().aborted);
      assert.deepEqual([down(), rules(host).length], [[host], 1], 'nobody else can undo them');
      const recovered = await runCli(['recover'], { tmp });
      assert.equal(recovered.status, 0, recovered.stderr);
      assert.match(recovered.stderr, /Undone what process \d+ left: start [\d.]+:6379/);
      assert.deepEqual([down(), rules(host)], [[], []]);
      startPart(machines(), `host-${host + 1}`);

      await stack.host.act(other.id, 'pause');
      await killPart(machines(), `host-${otherHost + 1}`);
      assert.deepEqual(paused(), [otherHost]);
      startPart(machines(), `host-${otherHost + 1}`);
      await eventually('its next start undoes it', () => paused().length === 0);
      await stack.heal();
    });
    await nothingLeft();
  });
});
