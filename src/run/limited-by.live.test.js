import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import os from 'node:os';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { machineUse, sampleMachine } from '../measure/machine.js';
import { encodeCommand } from '../resp/writer.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { randomFrom } from '../stats/random.js';
import { summarise } from '../stats/summary.js';
import { closeBench, connectControls, createBench, primaryControl } from './bench.js';
import { makeCase } from './case.js';
import { newKeys } from './keys.js';
import { PROFILES } from './profiles.js';
import { measureRounds } from './rounds.js';

/**
 * @import { CaseParams, CaseSummary, RoundResult } from '../result/schema.js'
 * @import { Bench } from './rounds.js'
 * @import { RoundBenchmark } from './types.js'
 * @import { ChildProcess } from 'node:child_process'
 * @import { TestContext } from 'node:test'
 */

/**
 * The rule itself is tested beside it. Here: that what is measured of real load leads it to the right verdict.
 *
 * @typedef {CaseSummary['limitedBy']} Verdict
 */

/** Others may use this machine. Until they leave enough of it, only verdicts that are wrong whatever they do fail. */
const DEADLINE_MS = 120_000;
const PROFILE = Object.freeze({ ...PROFILES.quick, rounds: 3, seconds: 0.25, warmUpSeconds: 0.05 });
const PATTERNS = Array.from({ length: 1000 }, (_, i) => `__keyspace@0__:nobody-${i}*`);
const SPIN_MS = DEADLINE_MS + 10_000;
/**
 * Where others use more of this machine than that before or after, what a load would be limited by without them is not to be seen. Where
 * they did not so often, the verdict has to come.
 */
const OTHERS_MOST = 0.25;
const FREE_LEAST = 3;
const LOOK_MS = 300;

describe('what limits a real load', () => {
  /** @type {Bench} */
  let bench;

  before(async () => {
    const cluster = await startLocal({});
    bench = createBench(cluster, { profile: PROFILE, random: randomFrom(1), signal: new AbortController().signal });
    await connectControls(bench);
  });
  after(async () => {
    if (bench) await closeBench(bench);
  });

  /**
   * Measures a case again and again, as a suite does, until it gets the verdict.
   *
   * @param {Partial<CaseParams>} params
   * @param {Verdict} expected
   * @param {Verdict[]} never verdicts that no neighbour on the machine can excuse
   * @param {TestContext} [t] skipped when neighbours never left enough of the machine to see it; without it that is no excuse
   */
  async function untilLimitedBy(params, expected, never, t) {
    const theCase = makeCase(params);
    /** @type {string[]} */
    const seen = [];
    let free = 0;
    const deadline = performance.now() + DEADLINE_MS;
    while (performance.now() < deadline) {
      const others = await usedByOthers();
      const results = await measureRounds(
        bench,
        /** @type {RoundBenchmark} */ ({ kind: 'load' }),
        [theCase],
        newKeys([theCase]).prefix,
        { onRound() {} },
      );
      const rounds = results.get(theCase.id)?.rounds ?? [];
      const { limitedBy } = summarise(rounds, null, { seed: 1 });
      if (limitedBy === expected) return;
      seen.push(`${limitedBy} (${rounds.map(useText).join('; ')})`);
      assert.ok(!never.includes(limitedBy), seen.at(-1));
      if (Math.max(others, await usedByOthers()) <= OTHERS_MOST) free++;
    }
    if (t && free < FREE_LEAST)
      return t.skip(`others left enough of this machine ${free} times in ${DEADLINE_MS / 1000} s`);
    assert.fail(`not once ${expected} within ${DEADLINE_MS / 1000} s, but:\n${seen.slice(-5).join('\n')}`);
  }

  test('one connection that awaits each reply: nothing', async (t) => {
    await untilLimitedBy({}, 'nothing', ['client', 'primary'], t);
  });

  test('a slow client: the client', async (t) => {
    await untilLimitedBy({ client: 'redis', connections: 50, pipeline: 20 }, 'client', ['primary'], t);
  });

  test('a primary whose writes are expensive: the primary', async (t) => {
    const primary = await primaryControl(bench);
    const { port, host } = (await bench.cluster.primary()).address;
    const subscriber = net.connect(port, host);
    try {
      // Each write is an event that is held against each of these patterns and matches none: the server's work alone.
      await primary.call('CONFIG', 'SET', 'notify-keyspace-events', 'KA');
      subscriber.resume();
      subscriber.write(encodeCommand(['PSUBSCRIBE', ...PATTERNS]));
      await until(async () => (await primary.call('PUBSUB', 'NUMPAT')) === PATTERNS.length);
      await untilLimitedBy({ pipeline: 100 }, 'primary', ['client'], t);
    } finally {
      subscriber.destroy();
      await primary.call('CONFIG', 'SET', 'notify-keyspace-events', '');
    }
  });

  test('a machine whose cores are all busy: the machine', async () => {
    // They end by themselves should this process not live to end them.
    const spin = `const end = Date.now() + ${SPIN_MS}; while (Date.now() < end);`;
    const spinners = os.cpus().map(() => spawn(process.execPath, ['-e', spin], { stdio: 'ignore' }));
    try {
      await untilLimitedBy({}, 'machine', ['client', 'primary']);
    } finally {
      await Promise.all(spinners.map(end));
    }
  });
});

/** @param {RoundResult} round */
function useText({ load, machineCpu, nodes }) {
  const shares = {
    'load thread': load.cpu,
    'its loop': load.eventLoopUtilization,
    primary: nodes.find(({ role }) => role === 'primary')?.mainThreadCpu ?? null,
    machine: machineCpu,
  };
  return Object.entries(shares)
    .map(([who, share]) => `${who} ${share?.toFixed(2) ?? 'unknown'}`)
    .join(', ');
}

/** @param {() => Promise<boolean>} condition */
async function until(condition) {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await condition())) assert.ok(performance.now() < deadline, 'the condition was not met');
}

/** @returns {Promise<number>} of all cores, 0 … 1, while nothing is asked of the stack */
async function usedByOthers() {
  const before = sampleMachine();
  await delay(LOOK_MS);
  return machineUse(before, sampleMachine());
}

/** @param {ChildProcess} child */
async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
