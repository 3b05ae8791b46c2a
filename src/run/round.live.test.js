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
    stack = await startLocal({});
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
    }
    assert.ok(Number(result.load.process?.bytesWritten) > written);
    assert.ok(Number(result.load.process?.pids) > 1);
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
