/**
 * The harness is killed at random moments of failure benchmarks, on a stack that stays; each time `recover` has to leave the
 * stack as it was. How often is up to SENTINEL_BENCH_KILLS; its findings are diagnostics.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../../test/needs.js';
import { journalsIn, newFolder, runCli, startCli } from '../cli/fixture.js';
import { assertAsBefore } from '../faults/fixture.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { settingsOf } from '../stacks/redis/conformance-help.js';
import { attachDocker } from '../stacks/redis/docker/index.js';
import { attachLocal } from '../stacks/redis/local/index.js';

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
          await assertAsBefore(stack, before, message);
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
