/** A process is killed while it disturbs a stack that stays; `recover` restores the stack. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needs } from '../../test/needs.js';
import { runCli, stackFolder } from '../cli/fixture.js';
import { assertAsBefore, journalNames, ownState } from '../faults/fixture.js';
import { journalFolder } from '../faults/journal-file.js';
import { askNode } from '../stacks/ask.js';
import { eventually, isReady, settingsOf } from '../stacks/redis/conformance-help.js';
import { groupCommands } from '../stacks/redis/external/groups-fixture.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { toRecord } from '../stacks/redis/observe.js';
import { recoverJournals } from './recover.js';

/**
 * @import { Wanted } from '../faults/settings.js'
 * @import { Stack } from '../stacks/types.js'
 * @import { RecoverPlan } from './recover-fixture.js'
 */

const folder = await ownState();
const FIXTURE = fileURLToPath(new URL('./recover-fixture.js', import.meta.url));
const NOTHING = 'Nothing is left of killed runs.\n';

/** @type {Wanted} */
const SETTINGS = {
  all: { 'min-replicas-to-write': '0', 'repl-backlog-size': '3mb', appendonly: 'yes', save: '900 1' },
  sentinels: { 'down-after-milliseconds': '60000' },
  nodes: { 'redis-2': { 'replica-priority': '7' } },
};

/** @param {RecoverPlan} plan @param {NodeJS.ProcessEnv} [env] @returns {Promise<number>} its pid; it is dead */
async function disturb(plan, env) {
  const child = spawn(process.execPath, [FIXTURE, JSON.stringify(plan)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints += text;
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL', complaints);
  return /** @type {number} */ (child.pid);
}

/** @param {NodeJS.ProcessEnv} [env] */
const recoverByCli = (env) => runCli(['recover'], { tmp: String(process.env.TMPDIR), env });

/**
 * @param {Stack} stack
 * @param {string} id of a Redis node
 * @param {string} setting
 * @returns {string | undefined} the line of its file
 */
function lineInFile(stack, id, setting) {
  assert.equal(stack.about.backend, 'local');
  const text = readFileSync(join(String(stackFolder(String(process.env.TMPDIR))), id, 'node.conf'), 'utf8');
  return text.split('\n').find((line) => line.startsWith(`${setting} `));
}

const skip = await needs('redis-server');

describe('a local stack that stays', { skip }, () => {
  const LOCAL = /** @type {const} */ ({ backend: 'local' });
  /** @type {Stack} */
  let stack;
  /** @type {Awaited<ReturnType<typeof settingsOf>>} */
  let former;
  before(async () => {
    stack = await startLocal({ server: 'redis-server', detached: true });
    former = await settingsOf(stack);
  });
  after(() => stack?.down());
  afterEach(async () => {
    await recoverJournals({ tell: () => {} });
    await stack.heal();
  });

  test('settings and faults are undone, one line each', async () => {
    const [first, second] = await stack.database.replicas();
    const pid = await disturb({
      stack: LOCAL,
      steps: [
        { settings: SETTINGS },
        { fault: 'kill', id: 'sentinel-1' },
        { fault: 'pause', id: first.id },
        { fault: 'stop', id: second.id },
      ],
    });
    await assert.rejects(askNode(stack, first.id, (control) => control.call('PING'), { timeoutMs: 300 }));
    await assert.rejects(askNode(stack, second.id, (control) => control.call('PING')));

    const { status, stdout, stderr } = await recoverByCli();
    assert.equal(status, 0, stderr);
    assert.equal(stdout, '');
    const expected = [
      `start ${second.id}`,
      `resume ${first.id}`,
      'start sentinel-1',
      'put back down-after-milliseconds of sentinel-3',
      'put back down-after-milliseconds of sentinel-2',
      'put back down-after-milliseconds of sentinel-1',
      'put back min-replicas-to-write, repl-backlog-size, appendonly, save of redis-3',
      'put back min-replicas-to-write, repl-backlog-size, appendonly, save, replica-priority of redis-2',
      'put back min-replicas-to-write, repl-backlog-size, appendonly, save of redis-1',
    ].map((what) => `Undone what process ${pid} left: ${what}.\n`);
    assert.equal(stderr, expected.join('') + NOTHING);
    await assertAsBefore(stack, former);
    assert.equal((await recoverByCli()).stderr, NOTHING);
  });

  test('a step that fails is kept, reported, and done later', async () => {
    const [{ id }] = await stack.database.replicas();
    await disturb({ stack: LOCAL, steps: [{ fault: 'pause', id }] });
    const elsewhere = mkdtempSync(join(folder, 'elsewhere-'));
    const { status, stderr } = await recoverByCli({ TMPDIR: elsewhere });
    assert.equal(status, 3);
    assert.match(stderr, /^error: What process \d+ left could not be put back: Its stack was started with TMPDIR=/);
    assert.match(stderr, /\nSet TMPDIR to that, then run `sentinel-bench recover`; /);
    const [name] = journalNames();
    assert.match(stderr, RegExp(`remove ${join(journalFolder(), name)}\\.`));
    assert.equal((await recoverByCli()).status, 0);
    await assertAsBefore(stack, former);
  });
});

describe('somebody else’s deployment', { skip }, () => {
  const PASSWORD = 'a secret of theirs';
  /** @type {Stack} */
  let below;
  /** @type {RecoverPlan['stack']} */
  let external;
  before(async () => {
    below = await startLocal({ server: 'redis-server' });
    external = {
      backend: 'external',
      sentinels: below.nodes
        .filter(({ kind }) => kind === 'sentinel')
        .map(({ address }) => address)
        .slice(0, 1),
    };
  });
  after(() => below?.close());

  test('settings are put back; a file is written only where a failover wrote the changed value to it', async () => {
    const former = await settingsOf(below);
    const files = () =>
      below.nodes.filter(({ kind }) => kind === 'redis').map(({ id }) => lineInFile(below, id, 'repl-backlog-size'));
    const filesBefore = files();
    const steps = [{ settings: { all: { 'repl-backlog-size': '5mb' } } }];
    await disturb({ stack: external, steps });
    assert.equal((await recoverByCli()).status, 0);
    await assertAsBefore(below, former);
    const { id } = await below.database.primary();
    const rewrites = async () =>
      (await askNode(below, id, (control) => control.info('commandstats')))['cmdstat_config|rewrite'];
    assert.equal(await rewrites(), undefined, 'no file was written');
    assert.deepEqual(files(), filesBefore);

    // The ids of an external deployment follow the roles, so a failover gives them to other nodes.
    const [sentinel] = (await below.database.observe()).sentinels;
    await disturb({ stack: external, steps: [...steps, { fault: 'failover', id: sentinel.id }] });
    await eventually('another is the primary', async () => (await below.database.primary()).id !== id);
    await eventually('all follow it', () => isReady(below));
    await eventually('a file has it', async () => files().some((line) => line?.includes('5mb')));
    const { status, stderr } = await recoverByCli();
    assert.equal(status, 0, stderr);
    await assertAsBefore(below, former);
    assert.ok(!files().some((line) => line?.includes('5mb')), files().join());
  });

  test('a password is never stored: without it recovery says which variable it needs', async () => {
    const redis = below.nodes.filter(({ kind }) => kind === 'redis');
    const sentinels = below.nodes.filter(({ kind }) => kind === 'sentinel');
    for (const { id } of sentinels) {
      await askNode(below, id, (control) =>
        control.call('SENTINEL', 'SET', below.access.masterName, 'auth-pass', PASSWORD),
      );
    }
    for (const { id } of redis) {
      await askNode(below, id, async (control) => {
        await control.call('CONFIG', 'SET', 'masterauth', PASSWORD);
        await control.call('CONFIG', 'SET', 'requirepass', PASSWORD);
      });
    }
    const locked = { ...below, access: { ...below.access, credentials: { password: PASSWORD } } };
    const backlog = () =>
      Promise.all(
        redis.map(({ id }) =>
          askNode(locked, id, (control) => control.call('CONFIG', 'GET', 'repl-backlog-size')).then((r) => toRecord(r)),
        ),
      );
    const former = await backlog();
    await disturb(
      { stack: external, steps: [{ settings: { all: { 'repl-backlog-size': '5mb' } } }] },
      { SENTINEL_BENCH_PASSWORD: PASSWORD },
    );
    assert.notDeepEqual(await backlog(), former);
    const [name] = journalNames();
    assert.ok(!readFileSync(join(journalFolder(), name), 'utf8').includes(PASSWORD));

    const without = await recoverByCli();
    assert.equal(without.status, 3);
    assert.match(without.stderr, /\nSet SENTINEL_BENCH_PASSWORD, then run `sentinel-bench recover`/);
    const wrong = await recoverByCli({ SENTINEL_BENCH_PASSWORD: 'wrong' });
    assert.equal(wrong.status, 3);
    assert.match(wrong.stderr, /user or password refused/);
    assert.deepEqual(journalNames(), [name]);

    const { status, stderr } = await recoverByCli({ SENTINEL_BENCH_PASSWORD: PASSWORD });
    assert.equal(status, 0, stderr);
    assert.deepEqual(await backlog(), former);
    assert.deepEqual(journalNames(), []);
  });
});

test('groups that a user’s command separated are joined after kill -9', { skip: await needs('firewall') }, async () => {
  const { commands, tables } = groupCommands();
  const below = await startLocal({ server: 'redis-server', network: true });
  try {
    const sentinels = below.nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address);
    // The primary comes first in an existing deployment.
    const groups = [['redis-1', 'sentinel-1'], ['redis-2']];
    const external = /** @type {const} */ ({ backend: 'external', sentinels: sentinels.slice(0, 1), commands });
    await disturb({ stack: external, steps: [{ divide: groups }] });
    assert.equal(tables().length, 1);
    const { status, stderr } = await recoverByCli();
    assert.equal(status, 0, stderr);
    assert.deepEqual(tables(), []);
    await eventually('all is well', () => isReady(below));
  } finally {
    execFileSync('sh', ['-c', commands.unite]);
    await below.close();
  }
});
