/**
 * Two at once on one stack: of two runs one is refused, and every setting stays as it was; two `up` make one stack. How often is
 * up to SENTINEL_BENCH_PAIRS; the findings are diagnostics.
 */
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../../test/needs.js';
import { becomes, journalsIn, leftIn, newFolder, portsIn, runCli, startCli } from '../cli/fixture.js';
import { formatAddress } from '../stacks/address.js';
import { askNode } from '../stacks/ask.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { LOCK_KEY } from '../stacks/locks/stack-lock.js';
import { attachLocal } from '../stacks/redis/local/index.js';
import { toRecord } from '../stacks/redis/observe.js';

/**
 * @import { StartedCommand } from '../cli/fixture.js'
 * @import { Stack } from '../stacks/types.js'
 */

const folder = await ownTemporaryFolder();
const TIMES = Number(process.env.SENTINEL_BENCH_PAIRS ?? 2);

const skip = await needs('server');

/** Changes settings in every round, and runs for longer than any test of it. */
const RUN = ['run', 'sweep-healthy', '--client', 'native', '--out', 'out'];
/** A busy machine may take half a minute to start a process. */
const DEADLINE_MS = 120_000;

const IN_USE =
  /^error: The (local stack|deployment mymaster) has been in use since .* UTC by process (\d+) \(sentinel-bench run [^\n]*\)[^\n]*\.\nWait until that process ends[^\n]*\n$/m;

describe('two runs at once', { skip }, () => {
  const tmp = newFolder(folder);
  /** @type {Stack} */
  let stack;
  /** @type {string[]} */
  let external;
  before(async () => {
    const up = await runCli(['up', '--backend', 'local'], { tmp });
    assert.equal(up.status, 0, up.stderr);
    process.env.TMPDIR = tmp;
    const found = await attachLocal();
    assert.ok(found);
    stack = found;
    const [sentinel] = stack.nodes.filter(({ kind }) => kind === 'sentinel');
    external = ['--sentinel', formatAddress(sentinel.address)];
  });
  after(async () => {
    await stack?.close();
    const { status, stderr } = await runCli(['down', '--backend', 'local'], { tmp });
    assert.equal(status, 0, stderr);
  });

  /** @returns {Promise<string[]>} every setting of every Redis node */
  async function settings() {
    const nodes = stack.nodes.filter(({ kind }) => kind === 'redis');
    const all = await Promise.all(
      nodes.map(async ({ id }) => {
        const reply = await askNode(stack, id, (control) => control.call('CONFIG', 'GET', '*'), { timeoutMs: 30_000 });
        return Object.entries(toRecord(reply)).map(([name, value]) => `${id} ${name} ${value}`);
      }),
    );
    return all.flat();
  }

  /** @param {string[]} former @param {string} message */
  async function assertAsBefore(former, message) {
    const changed = (await settings()).filter((line) => !former.includes(line));
    assert.deepEqual(changed, [], message);
  }

  /** @param {string} state */
  const journals = (state) => journalsIn(dirname(state));
  const here = join(tmp, 'state');
  const elsewhere = join(newFolder(folder), 'state');

  /** @type {[string, () => {args: string[], state?: string}[]][]} */
  const pairs = [
    [
      'on a deployment, that keep their state in different places',
      () => [{ args: external }, { args: external, state: elsewhere }],
    ],
    ['that know the stack by different names', () => [{ args: ['--backend', 'local'] }, { args: external }]],
  ];
  for (const [what, sides] of pairs) {
    test(`${what}, ${TIMES} times: one is refused, and every setting stays as it was`, async (t) => {
      const former = await settings();
      let changed = 0;
      for (let time = 0; time < TIMES; time++) {
        const runs = sides().map(({ args, state = here }) => ({
          cli: startCli([...RUN, ...args], { tmp, env: { XDG_STATE_HOME: state }, deadlineMs: DEADLINE_MS }),
          state,
        }));
        try {
          const first = await Promise.race([
            ...runs.map(({ cli }, index) => cli.ended.then((ended) => ({ ended, index }))),
            bothMeasure(runs.map(({ cli }) => cli)),
          ]);
          const winner = runs[first?.index === 0 ? 1 : 0];
          if (first?.ended.status === 3)
            await becomes(() => journals(winner.state).length > 0, 'the other one changes settings', DEADLINE_MS);
          // In the middle of whatever it is doing.
          await delay(Math.random() * 500);
          for (const { cli } of runs) cli.kill('SIGINT');
          const ends = await Promise.all(runs.map(({ cli }) => cli.ended));
          const message = ends.map(({ status, stderr }) => `${status}: ${stderr}`).join('\n');
          await assertAsBefore(former, message);
          assert.ok(first, `neither was refused\n${message}`);
          assert.equal(first.ended.status, 3, message);
          assert.equal(first.ended.stdout, '', message);
          const [, , holder] = IN_USE.exec(first.ended.stderr) ?? [];
          assert.equal(Number(holder), winner.cli.pid, message);
          const [, other] = first.index === 0 ? ends : ends.toReversed();
          assert.equal(other.status, 130, message);
          changed++;
        } finally {
          for (const { cli } of runs) cli.kill('SIGKILL');
        }
        for (const { state } of runs) assert.deepEqual(journals(state), []);
        const { id } = await stack.database.primary();
        assert.equal(await askNode(stack, id, (control) => control.call('EXISTS', LOCK_KEY)), 0);
      }
      t.diagnostic(`${changed} of ${TIMES} pairs: one refused, every setting as before`);
    });
  }
});

describe('two `up` at once', () => {
  test(`one local stack, ${TIMES} times`, { skip }, async () => {
    const tmp = newFolder(folder);
    for (let time = 0; time < TIMES; time++) {
      const both = await Promise.all([1, 2].map(() => runCli(['up', '--backend', 'local'], { tmp })));
      const message = both.map(({ stderr }) => stderr).join('\n');
      try {
        assert.deepEqual(
          both.map(({ status }) => status),
          [0, 0],
          message,
        );
        const [{ stdout }, other] = both;
        const addresses = (/** @type {string} */ text) => text.match(/127\.0\.0\.1:\d+/g);
        assert.deepEqual(addresses(stdout), addresses(other.stdout), message);
        assert.equal(Object.keys(portsIn(tmp)).length, 6);
      } finally {
        // As often as there are stacks.
        for (let down = ''; !/No stack is up/.test(down); ) {
          const { status, stderr } = await runCli(['down', '--backend', 'local'], { tmp });
          assert.equal(status, 0, stderr);
          down += stderr;
          assert.ok(down.split('is down').length <= 2, 'there was one stack');
        }
      }
      assert.deepEqual(leftIn(tmp), []);
    }
  });
});

/** @param {StartedCommand[]} runs @returns {Promise<null>} stays pending when one of them ends instead */
function bothMeasure(runs) {
  return new Promise((resolve) => {
    Promise.all(runs.map((run) => run.says('stderr', /^Measuring/m))).then(
      () => resolve(null),
      () => {},
    );
  });
}
