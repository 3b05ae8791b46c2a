import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { assertNothingLeft, ownState } from '../../src/faults/fixture.js';
import { recover } from '../../src/run/recover.js';
import { eventually } from '../../src/stacks/fixture.js';
import { hasEnded } from '../../src/stacks/processes.js';
import { needs } from '../../test/needs.js';

/** @import { Plan } from './undone-fixture.js' */

/**
 * @typedef {{status?: string, reason?: string, acked?: number, steps?: number}} Told
 * @typedef {Told & {servers: {pid: number, startTime: string}[]}} Ended
 */

const folder = await ownState();
const skip = await needs('redis-server', 'valkey-server');
const FIXTURE = fileURLToPath(new URL('./undone-fixture.js', import.meta.url));
/** Three Sentinels, two replicas, the failover, the old primary. */
const STEPS = 7;
/** The first Sentinel, the first replica, the old primary. */
const STOPPED_AT = [1, 4, 7];
const SIDE_BY_SIDE = 3;
const PATIENCE_MS = 120_000;

/**
 * @param {Omit<Plan, 'folder'>} plan
 * @returns {Promise<Ended>} what the process said before it ended
 */
async function run({ at, how }) {
  const own = join(folder, `${at}-${how.replace(/\W/g, '')}`);
  mkdirSync(own);
  const child = fork(FIXTURE, [JSON.stringify({ at, how, folder: own })], { execArgv: [] });
  /** @type {Ended} */
  const told = { servers: [] };
  const signal = /** @type {const} */ ({ 'Ctrl-C': 'SIGINT', 'kill -9': 'SIGKILL' })[/** @type {string} */ (how)];
  child.on('message', (/** @type {Partial<Ended>} */ message) => {
    Object.assign(told, message);
    if (message.servers && signal) child.kill(signal);
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  return told;
}

describe('a migration', { skip }, () => {
  const one = pLimit(SIDE_BY_SIDE);
  const all = /** @type {const} */ (['error', 'Ctrl-C', 'kill -9']).flatMap((how) =>
    STOPPED_AT.map((at) => ({ at, how })),
  );
  /** @type {Map<string, Promise<Ended>>} */
  const runs = new Map();

  before(() => {
    for (const plan of [{ at: STEPS, how: /** @type {const} */ ('success') }, ...all])
      runs.set(
        `${plan.at} ${plan.how}`,
        one(() => run(plan)),
      );
  });
  after(async () => {
    await Promise.allSettled(runs.values());
    await recover({ tell: () => {} });
    assertNothingLeft(folder);
  });

  test('that succeeds has these steps, and ends its servers', async () => {
    const { status, reason, acked = 0, steps, servers } = /** @type {Ended} */ (await runs.get(`${STEPS} success`));
    assert.equal(status, 'ok', reason);
    assert.equal(steps, STEPS);
    assert.ok(acked > 0);
    await assertEnded(servers);
  });

  for (const { at, how } of all) {
    test(`that ends by ${how} in step ${at} leaves no server`, async () => {
      const { status, reason, servers } = /** @type {Ended} */ (await runs.get(`${at} ${how}`));
      assert.ok(servers.length >= STEPS - 2, 'all other servers ran');
      if (how === 'kill -9') {
        assert.equal(status, undefined, 'it could not say anything');
        await Promise.all(runs.values());
        await recover({ tell: () => {} });
      } else {
        assert.deepEqual(status, how === 'error' ? 'failed' : 'ended');
        assert.match(
          String(reason),
          how === 'error' ? /the step fails/ : /Interrupted by SIGINT; everything was put back/,
        );
      }
      await assertEnded(servers);
    });
  }

  /** @param {Ended['servers']} servers */
  async function assertEnded(servers) {
    assert.ok(servers.length > 0);
    await eventually('its servers have ended', () => servers.every(({ pid, startTime }) => hasEnded(pid, startTime)));
  }
});
