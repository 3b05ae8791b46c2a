import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach, before, describe, test } from 'node:test';
import { needs } from '../../../test/needs.js';
import { eventually, ownTemporaryFolder } from '../fixture.js';
import { openStack, takeDown } from '../index.js';
import { connectControl } from '../redis/control.js';
import { startLocal } from '../redis/local/index.js';
import { InUse, thisHolder } from './lock.js';
import { LOCK_KEY, lockStack } from './stack-lock.js';

/** @import { Stack, StackOptions } from '../types.js' */

const folder = await ownTemporaryFolder();

const skip = await needs('server');

const COMMAND = 'sentinel-bench run';
const BRISK = { command: COMMAND, expiryMs: 2000, renewMs: 50 };

/** Opens the stack that its argument describes, says so or why not, and has it until it is ended. */
const HOLDER = `
  import { openStack } from ${JSON.stringify(new URL('../index.js', import.meta.url).href)};
  try {
    const stack = await openStack({ command: 'sentinel-bench run', ...JSON.parse(process.argv[1]) });
    console.log('open');
    process.stdin.resume().on('end', () => stack.close());
  } catch (error) {
    console.log([error.message, error.remedy, error.exitStatus].join('|'));
  }`;

/** @type {{kill: () => Promise<void>}[]} */
const holders = [];
afterEach(async () => {
  await Promise.all(holders.splice(0).map((each) => each.kill()));
});

/**
 * @param {object} options for openStack
 * @param {NodeJS.ProcessEnv} [env]
 */
async function startHolder(options, env = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', HOLDER, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  const [said] = await once(createInterface(child.stdout), 'line');
  const holder = {
    pid: Number(child.pid),
    /** @type {string} */
    said,
    async close() {
      child.stdin.end();
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
  holders.push(holder);
  return holder;
}

describe('the lock of a stack that stays', { skip }, () => {
  /** @type {Stack} */
  let stack;
  /** @type {StackOptions} */
  let external;
  before(async () => {
    stack = await startLocal({ detached: true });
    const [sentinel] = stack.nodes.filter(({ kind }) => kind === 'sentinel');
    external = { backend: 'external', sentinels: [sentinel.address] };
  });
  after(() => stack?.down());

  /**
   * @param {...(string | number)} command
   * @returns {Promise<unknown>} what the primary replies
   */
  async function onPrimary(...command) {
    const { address } = await stack.database.primary();
    const control = await connectControl(address);
    try {
      return await control.call(String(command[0]), ...command.slice(1));
    } finally {
      control.close();
    }
  }

  const key = async () => JSON.parse(String(await onPrimary('GET', LOCK_KEY)));
  const LOCAL = /** @type {const} */ ({ backend: 'local' });
  /** A process that cannot be looked for from here. */
  const elsewhere = () => ({ ...thisHolder({ command: COMMAND }), pid: 77, host: 'elsewhere', system: 'f'.repeat(16) });

  /** @param {() => Promise<unknown>} work @returns {Promise<InUse>} */
  async function refused(work) {
    const refusal = await work().catch((error) => error);
    assert.ok(refusal instanceof InUse, String(refusal));
    return refusal;
  }

  for (const [name, options] of /** @type {const} */ ([
    ['a stack that is up', () => LOCAL],
    ['a deployment', () => external],
  ])) {
    test(`${name}: the second learns who holds it; a release or kill -9 of the first frees it at once`, async () => {
      const holder = await startHolder(options());
      assert.equal(holder.said, 'open');
      const { message, exitStatus, remedy } = await refused(() => openStack({ ...options(), command: COMMAND }));
      assert.equal(exitStatus, 3);
      assert.match(
        message,
        RegExp(
          `^The (local stack|deployment mymaster) has been in use since [-\\d]+ [\\d:]+ UTC by process ${holder.pid} \\(${COMMAND}\\)\\.$`,
        ),
      );
      assert.match(remedy, /^Wait until that process ends, or end it; /);
      assert.equal((await key()).pid, holder.pid);
      await holder.close();
      assert.equal(await onPrimary('EXISTS', LOCK_KEY), 0, 'it takes its key away');

      const killed = await startHolder(options());
      await killed.kill();
      assert.equal((await key()).pid, killed.pid, 'its key stays until it expires');
      const next = await openStack({ ...options(), command: COMMAND });
      assert.equal((await key()).pid, process.pid);
      await next.close();
      assert.equal(await onPrimary('DBSIZE'), 0);
      assert.deepEqual(readdirSync(join(folder, 'state', 'sentinel-bench', 'locks')), []);
    });
  }

  test(`a run with another state folder is refused by the key; a dead run’s key blocks no run`, async () => {
    const here = await openStack({ ...external, command: COMMAND });
    const env = { XDG_STATE_HOME: mkdtempSync(join(folder, 'elsewhere-')) };
    const other = await startHolder(external, env);
    assert.match(
      other.said,
      RegExp(`by process ${process.pid} \\(.*\\); its lock expires in \\d+ s unless it is renewed\\.\\|`),
    );
    assert.match(other.said, /\|Wait until that process ends; if it was killed, try again in \d+ s\.\|3$/);
    await here.close();
    const killed = await startHolder(external, env);
    assert.equal(killed.said, 'open');
    await killed.kill();
    await (await openStack({ ...external, command: COMMAND })).close();
  });

  test('another machine’s lock holds until it expires', async () => {
    await onPrimary('SET', LOCK_KEY, JSON.stringify(elsewhere()), 'PX', 1500);
    const { message } = await refused(() => openStack({ ...external, command: COMMAND }));
    assert.match(message, /by process 77 on elsewhere \(sentinel-bench run\); its lock expires in [12] s unless/);
    await eventually('it expires', async () => (await onPrimary('EXISTS', LOCK_KEY)) === 0);
    await (await openStack({ ...external, command: COMMAND })).close();
  });

  test('it is renewed while it is held, and set again after a failover lost it', async () => {
    const lock = await lockStack(stack, BRISK);
    const mine = await key();
    await onPrimary('PEXPIRE', LOCK_KEY, 700);
    await eventually('it is renewed', async () => Number(await onPrimary('PTTL', LOCK_KEY)) > 1000);
    await onPrimary('UNLINK', LOCK_KEY);
    await eventually('it is set again', async () => (await onPrimary('EXISTS', LOCK_KEY)) === 1);
    assert.deepEqual(await key(), mine);

    const [{ address }] = stack.nodes.filter(({ kind }) => kind === 'sentinel');
    const sentinel = await connectControl(address);
    const { id: old } = await stack.database.primary();
    await sentinel.call('SENTINEL', 'FAILOVER', 'mymaster');
    sentinel.close();
    await eventually('another is the primary', async () => (await stack.database.primary()).id !== old);
    await onPrimary('UNLINK', LOCK_KEY).catch(() => {});
    await stack.heal();
    await eventually('the new primary has it', async () => (await onPrimary('EXISTS', LOCK_KEY)) === 1);
    assert.deepEqual(await key(), mine);
    await lock.release();
    assert.equal(await onPrimary('EXISTS', LOCK_KEY), 0);
  });

  test('a key set by another machine is reported once, and neither overwritten nor removed', async () => {
    /** @type {string[]} */
    const messages = [];
    const lock = await lockStack(stack, { ...BRISK, tell: (line) => messages.push(line) });
    const other = JSON.stringify(elsewhere());
    await onPrimary('SET', LOCK_KEY, other, 'PX', 60_000);
    await eventually('it is reported', () => messages.length > 0);
    assert.match(messages[0], /^The local stack has been in use .* by process 77 on elsewhere .* This run goes on/);
    await lock.release();
    assert.equal(messages.length, 1);
    assert.equal(await onPrimary('GET', LOCK_KEY), other);
    await onPrimary('UNLINK', LOCK_KEY);
  });

  test('`up` leaves a stack in use as it is, `down` is refused', async () => {
    const holder = await startHolder(LOCAL);
    const [replica] = await stack.database.replicas();
    await stack.host.act(replica.id, 'kill');
    /** @type {string[]} */
    const messages = [];
    const up = await openStack({
      ...LOCAL,
      detached: true,
      command: 'sentinel-bench up',
      tell: (line) => messages.push(line),
    });
    assert.match(
      messages.join('\n'),
      RegExp(`already up\\.\nThe local stack has been in use .* by process ${holder.pid}`),
    );
    const { redis } = await up.database.observe();
    assert.notEqual(redis.find(({ id }) => id === replica.id)?.error, null, 'what a run does to it is not healed');
    await up.close();
    await refused(() => takeDown({ ...LOCAL, command: 'sentinel-bench down' }));
    await holder.close();
    await stack.heal();
  });
});
