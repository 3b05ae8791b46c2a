/**
 * As crash.test.js, on real servers: the process dies within a fault or a change of settings, and `recover` then
 * restores a stack that stays, or removes one that was to end with its process.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { after, afterEach, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needs } from '../../test/needs.js';
import { recover } from '../run/recover.js';
import { hasEnded } from '../stacks/hosts/processes.js';
import { bothReplicas, settingsOf } from '../stacks/redis/conformance-help.js';
import { startDocker } from '../stacks/redis/docker/index.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { FIRST_PRIMARY } from '../stacks/redis/topology.js';
import { disturb, FAULTS } from './crash-fixture.js';
import { assertAsBefore, assertNothingLeft, hasRules, ownState } from './fixture.js';
import { ALL_LINKS, NETWORK } from './index.js';
import { describeStep } from './journal.js';
import { listJournalFiles, readJournalFile, releaseJournalFile } from './journal-file.js';
import { applySettings } from './settings.js';

/**
 * @import { Ability, Stack } from '../stacks/types.js'
 * @import { OwnerPlan, OwnerReport } from './crash-owner-fixture.js'
 * @import { Wanted } from './settings.js'
 * @import { Fault, Site, Undo } from './types.js'
 */

const folder = await ownState();
process.env.COMPOSE_PROJECT_NAME = `sentinel-bench-test-${process.pid}`;
const OWNER = fileURLToPath(new URL('./crash-owner-fixture.js', import.meta.url));

/** Only a local stack that ends with its process has them; what they need is declared in test/needs.js. @type {Partial<Record<Ability, string>>} */
const WITH_OWNER = {
  partition: 'relay',
  lose: 'relay',
  'slow-link': 'relay',
  'power-loss': 'volatile disk',
  fill: 'volatile disk',
};
/** Only a stack with a network of groups has it, and it stays with the stack. @type {Ability} */
const GROUPS = 'group-partition';

const STAYING = [
  {
    name: 'local',
    needed: ['redis-server'],
    start: () => startLocal({ server: 'redis-server', detached: true }),
    // No local stack can isolate a node.
    lacks: [...Object.keys(WITH_OWNER), GROUPS, 'isolate'],
  },
  {
    name: 'local, with a network of groups',
    needed: ['redis-server', 'firewall'],
    start: () => startLocal({ server: 'redis-server', detached: true, network: true }),
    lacks: [...Object.keys(WITH_OWNER), 'isolate'],
    only: [GROUPS],
  },
  {
    name: 'hosts',
    needed: ['redis-server', 'namespaces'],
    start: () => startLocal({ server: 'redis-server', detached: true, hosts: true }),
    lacks: ['slow-link', 'power-loss', 'fill'],
    only: [GROUPS, 'lose', 'partition', 'isolate'],
  },
  {
    name: 'docker',
    needed: ['docker'],
    start: () => startDocker({ detached: true }),
    lacks: ['slow-link', 'power-loss', 'fill', ...((await needs('bridge firewall')) ? [GROUPS] : [])],
  },
];
const [FIRST] = STAYING;
/** Of the faults that the first backend has, those that the others repeat: each is undone by another action. */
const ELSEWHERE = ['kill', 'pause'];

/** @type {Wanted} */
const SETTINGS = {
  all: { 'min-replicas-to-write': '0', appendonly: 'yes' },
  sentinels: { 'down-after-milliseconds': '60000' },
  nodes: {
    'redis-2': {
      appendfsync: 'always',
      'client-output-buffer-limit': 'replica 1mb 512kb 10',
      'min-replicas-max-lag': '5',
      'no-appendfsync-on-rewrite': 'yes',
      'repl-backlog-size': '3mb',
      save: '3600 1 300 100',
    },
    'sentinel-2': { 'failover-timeout': '99000', 'parallel-syncs': '2', quorum: '3' },
  },
};

/** A fault notes what undoes it, and acts. */
const WHILE_IT_LASTS = 1;

/** As if this process were another one with the pid of the one that wrote the journals. */
async function passJournalsOn() {
  for (const file of listJournalFiles()) {
    await releaseJournalFile(file, { ...file, holder: { ...file.holder, startTime: 'earlier' } });
  }
}

/** @returns {Promise<string[]>} what the recovery of the only journal will report */
async function leftToUndo() {
  const [file, ...others] = listJournalFiles();
  assert.ok(file && others.length === 0, 'one journal is left');
  const pending = (await readJournalFile(file))?.pending ?? [];
  return pending.map(({ step }) => `Undone what process ${process.pid} left: ${describeStep(step)}.`);
}

/** @returns {Promise<string[]>} what it reports */
async function recovered() {
  /** @type {string[]} */
  const messages = [];
  await recover({ tell: (line) => messages.push(line) });
  return messages;
}

/**
 * @param {Stack} stack
 * @param {Awaited<ReturnType<typeof settingsOf>>} settings
 * @returns {Promise<string[]>} the Redis nodes that have an append-only file: a folder since Redis 7, a file before
 */
async function withAppendOnlyFile({ nodes, host: { files } }, settings) {
  const found = nodes
    .filter(({ kind }) => kind === 'redis')
    .map(async ({ id }) => {
      const { appenddirname, appendfilename } = settings[id];
      return (await files?.has(id, appenddirname ?? appendfilename)) ? id : [];
    });
  return (await Promise.all(found)).flat();
}

for (const { name, needed, start, lacks, only } of STAYING) {
  describe(`a stack that stays, ${name}`, { skip: await needs(...needed) }, () => {
    /** @type {Stack} */
    let stack;
    /** @type {Awaited<ReturnType<typeof settingsOf>>} */
    let former;
    before(async () => {
      stack = await start();
      former = await settingsOf(stack);
    });
    after(() => stack?.down());
    afterEach(async () => {
      // Whatever a test that failed left must not fail the next one.
      await passJournalsOn();
      await recover({ tell: () => {} });
      await stack.heal();
    });

    /** @param {string} when */
    async function assertRestored(when) {
      await assertAsBefore(stack, former, when);
      assert.deepEqual(await withAppendOnlyFile(stack, former), [], `${when}: no append-only file`);
    }

    /** @param {(site: Site) => Promise<Undo>} work @param {number} lifetime in steps */
    async function dieWithinStep(work, lifetime) {
      const { died } = await disturb(stack, work, { lifetime, unheard: true });
      assert.ok(died, `it has more than ${lifetime} steps`);
      const expected = await leftToUndo();
      await passJournalsOn();
      const messages = await recovered();
      // What fails on a busy machine is tried again after the others.
      assert.deepEqual(messages.filter((line) => line.startsWith('Undone')).sort(), expected.sort());
      await assertRestored(`dead within step ${lifetime + 1}`);
    }

    test('every fault is tried here, or on a stack that ends with its process, or is impossible', () => {
      const abilities = new Set(FAULTS.flatMap(({ fault }) => fault.needs));
      assert.deepEqual([...abilities].filter((ability) => !stack.can.has(ability)).sort(), [...lacks].sort());
    });

    for (const { fault } of FAULTS) {
      if (fault.needs.some((ability) => lacks.includes(ability))) continue;
      if (only !== undefined && !fault.needs.some((ability) => only.includes(ability))) continue;
      const isFirst = !fault.needs.some((ability) => FIRST.lacks.includes(ability));
      if (isFirst && name !== FIRST.name && !ELSEWHERE.includes(fault.name)) continue;
      // Such a fault strikes the primary on one backend, and a replica on the other.
      const role = isFirst && name !== FIRST.name ? 'replica' : 'primary';
      test(`a ${role} ${fault.what}`, () =>
        dieWithinStep(async (site) => {
          const { id } = role === 'primary' ? await stack.database.primary() : (await bothReplicas(stack))[0];
          return fault.inject(site, id);
        }, WHILE_IT_LASTS));
    }

    if (only !== undefined) return;

    test('settings of all nodes, and of single ones', async () => {
      // Dies within some of the steps, whose outcome it does not note. crash.test.js tries every step, on a stack in memory.
      const work = (/** @type {Site} */ site) => applySettings(site, SETTINGS);
      const { steps, died } = await disturb(stack, work, { lifetime: Number.POSITIVE_INFINITY });
      assert.ok(!died && steps >= 3, 'a change of settings notes, acts and undoes');
      await assertRestored('nothing died');
      for (const lifetime of [1, Math.floor(steps / 2), steps - 1]) await dieWithinStep(work, lifetime);
    });

    test('a restart finds no changed setting in a file', async () => {
      for (const { id } of stack.nodes) {
        await stack.host.act(id, 'kill');
        await stack.host.act(id, 'start');
      }
      await stack.heal();
      await assertRestored('after restarts');
    });
  });
}

/** @param {OwnerPlan} plan @param {import('node:test').TestContext} context */
async function leaveStack(plan, context) {
  const owner = fork(OWNER, [JSON.stringify(plan)], { execArgv: [] });
  context.after(() => owner.kill('SIGKILL'));
  const ended = once(owner, 'exit');
  const [report] = await Promise.race([once(owner, 'message'), ended.then(() => assert.fail('it ended early'))]);
  return {
    owner: owner.pid,
    .../** @type {OwnerReport} */ (report),
    async kill() {
      owner.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Its process dies while the fault lasts, and the stack with it.
 * @param {Pick<OwnerPlan, 'index' | 'backend'>} plan
 * @param {import('node:test').TestContext} context
 */
async function assertNothingStays(plan, context) {
  const { owner, died, servers, nets, kill } = await leaveStack({ ...plan, lifetime: WHILE_IT_LASTS }, context);
  assert.ok(died, 'a fault notes, acts and undoes');
  await kill();
  const messages = await recovered();
  const removed =
    plan.backend === 'local'
      ? RegExp(`^Removed what process ${owner} left: \\d servers and their files`, 'm')
      : RegExp(`^Removed the containers and networks of sentinel-bench-${owner}-`, 'm');
  assert.match(messages.join('\n'), removed);
  assert.ok(
    messages.includes(`Dropped what process ${owner} had left to undo: its stack is gone.`),
    messages.join('\n'),
  );
  const running = servers.filter(({ pid, startTime }) => !hasEnded(pid, startTime));
  assert.deepEqual(running, [], 'no server runs');
  for (const net of nets) assert.equal(hasRules(net), false, 'no rule is left');
  assertNothingLeft(folder);
}

/** @param {Fault} fault @returns {string[]} what only some machines have */
const specialNeeds = ({ needs: abilities }) =>
  abilities.flatMap((ability) => WITH_OWNER[ability] ?? (ability === GROUPS ? 'firewall' : []));
/** One of the faults that need nothing special stands for all of them. */
const plainFault = FAULTS.find(({ fault }) => specialNeeds(fault).length === 0);

for (const [index, each] of FAULTS.entries()) {
  const { fault, id = FIRST_PRIMARY } = each;
  // Only Docker can isolate, and its containers stay; see above.
  if (fault.needs.includes('isolate')) continue;
  const special = specialNeeds(fault);
  if (special.length === 0 && each !== plainFault) continue;
  const who = id === ALL_LINKS ? 'every node' : id === NETWORK ? 'its network' : id;
  test(
    `a stack that ends with its process, and ${who} ${fault.what}`,
    { skip: await needs('redis-server', ...special) },
    (context) => assertNothingStays({ index, backend: 'local' }, context),
  );
  // The disk of a container is mounted by its process.
  if (!fault.needs.includes('power-loss')) continue;
  test(
    `a Docker stack that ends with its process, and ${who} ${fault.what}`,
    { skip: await needs('docker', ...special) },
    (context) => assertNothingStays({ index, backend: 'docker' }, context),
  );
}
