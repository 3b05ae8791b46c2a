import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { roundPlan } from '../load/fixture.js';
import { startLoadThread } from '../load/load-thread.js';
import { Round } from '../result/round-schema.js';
import { connectControl } from '../stacks/redis/control.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { redis } from '../stacks/redis/system.js';
import { timeRound, timeTurns } from './round.js';

/**
 * @import { RoundPlan } from '../load/types.js'
 * @import { Stack, Control, NodeInfo } from '../stacks/types.js'
 */

/** Others may use this machine: a figure that depends on it is looked for again until then. */
const DEADLINE_MS = 60_000;
/** No machine stalls for so long: every write is acknowledged. */
const WAIT_TIMEOUT_MS = 15_000;
const SECONDS = 0.2;
const PAYLOAD_BYTES = 4096;

describe('a round of a real stack', () => {
  const loadThread = startLoadThread();
  /** @type {Map<string, Control>} */
  const controls = new Map();
  /** @type {Stack} */
  let stack;
  /** @type {NodeInfo} */
  let primary;

  before(async () => {
    stack = await startLocal({ settings: { 'latency-monitor-threshold': '20', 'enable-debug-command': 'yes' } });
    primary = await stack.database.primary();
    for (const { id, kind, address } of stack.nodes)
      if (kind === 'redis') controls.set(id, await connectControl(address, {}, { timeoutMs: DEADLINE_MS }));
  });
  after(async () => {
    for (const control of controls.values()) control.close();
    await loadThread.close();
    await stack?.close();
  });

  const site = () => ({
    loadThread,
    system: redis,
    controls,
    primaryId: primary.id,
    signal: new AbortController().signal,
  });

  /** @param {Partial<RoundPlan>} [plan] */
  const planOf = (plan) =>
    roundPlan(
      { primary: { ...primary.address, credentials: {} }, seconds: SECONDS, ...plan },
      { payloadBytes: PAYLOAD_BYTES, waitReplicas: 2, waitTimeoutMs: WAIT_TIMEOUT_MS },
    );

  /** @param {Partial<Parameters<typeof timeRound>[0]>} [options] @param {Partial<RoundPlan>} [plan] */
  function round(options, plan) {
    return timeRound({ ...site(), plan: planOf(plan), ...options });
  }

  test('reports what every node and the load process used, and the sums agree', async () => {
    const result = await round({ stats: stack.host.stats });
    assert.equal(Round.safeParse(result).error, undefined);
    const written = result.outcomes.acked * PAYLOAD_BYTES;
    assert.ok(written > 0);
    assert.deepEqual(result.nodes.map(({ role }) => role).sort(), [
      'primary',
      'replica',
      'replica',
      ...Array(3).fill('sentinel'),
    ]);
    for (const { id, role, networkInBytes, networkOutBytes, counters } of result.nodes) {
      const received = Number(networkInBytes);
      if (role === 'sentinel') assert.equal(counters, undefined);
      else
        assert.ok(received > written && received < 1.2 * written + 10_000, `${id} received ${received} of ${written}`);
      if (role !== 'primary') continue;
      // WAIT counted both replicas for each write.
      assert.ok(Number(counters?.replicationOutBytes) >= 2 * written, `${counters?.replicationOutBytes} of ${written}`);
      assert.ok(Number(networkOutBytes) >= 2 * written, `${networkOutBytes} of ${written}`);
      assert.equal(counters?.events, undefined, 'nobody asked for them');
    }
    assert.ok(Number(result.load.process?.bytesWritten) > written);
    assert.ok(Number(result.load.process?.pids) > 1);
  });

  test('latency events are those of the round', async () => {
    const control = controls.get(primary.id);
    const asLongAsThis = 400;
    /** @param {(isOver: () => boolean) => Promise<unknown>} meanwhile */
    const longestOf = async (meanwhile) => {
      let over = false;
      const timed = round({ latencyEvents: true }, { seconds: 0.5 }).finally(() => {
        over = true;
      });
      const [{ nodes }] = await Promise.all([timed, meanwhile(() => over)]);
      return Number(nodes.find(({ role }) => role === 'primary')?.counters?.events?.command?.maxMs ?? 0);
    };
    /**
     * If this process or the server stalls, the sleep comes too late for its round, or another command takes as long.
     * @param {(isOver: () => boolean) => Promise<unknown>} meanwhile
     * @param {(longestMs: number) => boolean} isRight
     * @param {string} what
     */
    const oneOf = async (meanwhile, isRight, what) => {
      const deadline = performance.now() + DEADLINE_MS;
      /** @type {number[]} */
      const seen = [];
      do {
        seen.push(await longestOf(meanwhile));
        if (isRight(Number(seen.at(-1)))) return;
      } while (performance.now() < deadline);
      assert.fail(`${what}: ${seen} ms`);
    };
    const sleep = async (/** @type {() => boolean} */ isOver) => {
      await untilWriting(control, isOver);
      await control?.call('DEBUG', 'SLEEP', String(asLongAsThis / 1000));
    };
    await oneOf(sleep, (longestMs) => longestMs >= asLongAsThis, 'what took long in the round');
    await oneOf(
      async () => {},
      (longestMs) => longestMs < asLongAsThis,
      'what took long before the round',
    );
  });

  test('rounds that take turns: each has its own writes and what was used meanwhile', async () => {
    const shape = { ...planOf().shape, waitReplicas: 0 };
    const plans = [
      planOf({ warmUpSeconds: 0.02 }),
      planOf({ shape, seed: 2 }),
      planOf({ shape, client: 'redis', seed: 3 }),
    ];
    const rounds = await timeTurns({ ...site(), plans, partSeconds: 0.02, random: Math.random });
    assert.equal(rounds.length, plans.length);
    for (const one of rounds) {
      assert.doesNotThrow(() => Round.parse(one));
      assert.ok(one.outcomes.acked > 0);
      assert.equal(one.outcomes.acked, one.operations);
      assert.ok(one.seconds > 0.99 * SECONDS, `${one.seconds} s: the parts of a round add up to its length`);
      assert.ok(Math.abs(one.throughput - one.outcomes.acked / one.seconds) < 1);
      assert.deepEqual(one.nodes.map(({ role }) => role).sort(), ['primary', 'replica', 'replica']);
      assert.ok(one.nodes.every(({ cpu, counters }) => cpu !== null && cpu >= 0 && counters === null));
    }
    const { throughput } = await round();
    assert.ok(throughput > 0, 'the thread makes ordinary rounds afterwards');
  });
});

/**
 * Waits until the timed part is under way: events are forgotten before it.
 * @param {Control | undefined} control of the primary
 * @param {() => boolean} isOver the round has ended
 */
async function untilWriting(control, isOver) {
  const written = async () => Number((await control?.info('keyspace'))?.db0?.match(/keys=(\d+)/)?.[1] ?? 0);
  await control?.call('FLUSHALL');
  while ((await written()) < 20 && !isOver());
}
