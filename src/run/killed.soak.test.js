/**
 * The harness is killed at random moments of failure benchmarks, on a stack that stays; each time `recover` has to leave the
 * stack as it was. How often is up to SENTINEL_BENCH_KILLS; its findings are diagnostics.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../../test/needs.js';
import { journalsIn, newFolder, runCli, startCli } from '../cli/fixture.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { settingsOf } from '../stacks/redis/conformance-help.js';
import { connectControl } from '../stacks/redis/control.js';
import { attachDocker } from '../stacks/redis/docker/index.js';
import { attachLocal } from '../stacks/redis/local/index.js';

/** @import { Stack } from '../stacks/types.js' */

const folder = await ownTemporaryFolder();
const TIMES = Number(process.env.SENTINEL_BENCH_KILLS ?? 4);
const SEED = Math.floor(Math.random() * 1000);

/** From before the first connection to after the last scripted step of most. */
const LONGEST_MS = 11_000;

/** Failures that end quickly once the Sentinels wait for a second only, and a sweep through settings. */
const RUNS = [
  'sweep-healthy',
  'primary-killed',
  'replica-restart',
  'primary-paused',
  'planned-failover',
  'replicas-paused',
  'sentinels-lost',
  'primary-restarted-empty',
];

/** Answers may be late: a busy machine may do nothing for seconds. */
const PATIENT = { timeoutMs: 60_000 };
/** For both replicas to have a write. */
const WAIT_MS = 30_000;

/**
 * They are given a second each, which a busy machine may take from them; a node that is away or paused never answers.
 * @param {Stack} stack
 */
async function whenAllAnswer(stack) {
  let snapshot = await stack.database.observe();
  const silent = () => [...snapshot.redis, ...snapshot.sentinels].find(({ error }) => error !== null);
  for (let attempt = 1; attempt < 10 && silent(); attempt++) snapshot = await stack.database.observe();
  assert.equal(silent(), undefined, 'every node answers');
  return snapshot;
}

/** @param {Stack} stack @param {Record<string, Record<string, string>>} before */
async function assertAsBefore(stack, before) {
  const { redis, primary } = await whenAllAnswer(stack);
  assert.ok(primary, 'the Sentinels agree on a primary');
  const followers = redis.filter(({ id }) => id !== primary);
  for (const state of followers) {
    assert.equal(state.role, 'replica', state.id);
    assert.ok(state.linkUp, `${state.id} follows`);
  }
  assert.deepEqual(await settingsOf(stack), before);
  const leader = stack.nodes.find(({ id }) => id === primary);
  assert.ok(leader);
  const control = await connectControl(leader.address, {}, PATIENT);
  try {
    assert.equal(await control.call('SET', 'afterwards', '1'), 'OK', 'it takes writes');
    assert.equal(await control.call('WAIT', 2, WAIT_MS), 2, 'and both replicas get them');
    await control.call('UNLINK', 'afterwards');
  } finally {
    control.close();
  }
}

/** @type {{backend: 'local' | 'docker', attach: typeof attachLocal, skip: string | false}[]} */
const BACKENDS = [
  {
    backend: 'local',
    attach: attachLocal,
    skip: await needs('server'),
  },
  { backend: 'docker', attach: attachDocker, skip: await needs('docker') },
];

for (const { backend, attach, skip } of BACKENDS) {
  describe(`killed in the middle of a failure, ${backend}`, { skip }, () => {
    test(`${TIMES} times, the stack is as before after recover`, async (t) => {
      const tmp = newFolder(folder);
      const up = await runCli(['up', '--backend', backend], { tmp });
      assert.equal(up.status, 0, up.stderr);
      try {
        process.env.TMPDIR = tmp;
        const stack = await attach();
        assert.ok(stack);
        const before = await settingsOf(stack);
        let disturbed = 0;
        for (let time = 0; time < TIMES; time++) {
          const name = RUNS[(SEED + time) % RUNS.length];
          const waitMs = Math.random() * LONGEST_MS;
          const args = ['run', name, '--backend', backend, '--client', 'native', '--down-after', '1s', '--out', 'out'];
          const cli = startCli(args, { tmp });
          await Promise.race([delay(waitMs), cli.ended]);
          cli.kill('SIGKILL');
          await cli.ended;
          if (journalsIn(tmp).length > 0) disturbed++;
          const recovered = await runCli(['recover'], { tmp });
          const message = `${name}, killed after ${Math.round(waitMs)} ms: ${recovered.stderr}`;
          assert.equal(recovered.status, 0, message);
          await assertAsBefore(stack, before).catch((error) => {
            throw new Error(`${message}\n${error.message}`, { cause: error });
          });
          assert.deepEqual(journalsIn(tmp), [], message);
        }
        t.diagnostic(`${disturbed} of ${TIMES} kills left something to undo`);
        await stack.close();
      } finally {
        const down = await runCli(['down', '--backend', backend], { tmp });
        assert.equal(down.status, 0, down.stderr);
      }
    });
  });
}
