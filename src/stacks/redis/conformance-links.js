import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../errors.js';
import { nodeOf } from '../ask.js';
import { ask, bothReplicas, doubts, eventually, isReady, KEY, silence } from './conformance-help.js';
import { connectControl } from './control.js';

/** @import { Ability, Stack } from '../types.js' */

/**
 * The part of the suite for every backend that is about the links between nodes.
 */

/** Where some of the replicas cannot acknowledge: long enough for one that can, nearly always. */
const WAIT_MS = 300;

/** Where all can: it ends with the last of them. */
const PATIENT_WAIT_MS = 20_000;

const LATENCY_MS = 40;

/** What a median of a few milliseconds may be off by while the machine is not busy. */
const SLACK_MS = 25;

/**
 * A write and its WAIT, on one connection.
 *
 * @param {Stack} stack
 * @param {string} id of the primary
 * @param {number} replicas
 * @param {number} [waitMs]
 * @returns {Promise<{reached: number, ms: number}>}
 */
async function writeAndWait(stack, id, replicas, waitMs = WAIT_MS) {
  const control = await connectControl(nodeOf(stack, id).address, {}, { timeoutMs: 2 * PATIENT_WAIT_MS });
  try {
    const started = performance.now();
    const written = control.call('SET', KEY, started);
    const reached = Number(await control.call('WAIT', replicas, waitMs));
    const ms = performance.now() - started;
    assert.equal(await written, 'OK');
    return { reached, ms };
  } finally {
    control.close();
  }
}

/**
 * @param {Stack} stack
 * @param {number} replicas
 * @returns {Promise<number>} the median of some
 */
async function waitMs(stack, replicas) {
  const { id } = await stack.database.primary();
  const times = [];
  for (let i = 0; i < 7; i += 1) {
    const { reached, ms } = await writeAndWait(stack, id, replicas, PATIENT_WAIT_MS);
    assert.ok(reached >= replicas, `${reached} of ${replicas} replicas acknowledge`);
    times.push(ms);
  }
  return times.sort((a, b) => a - b)[3];
}

/**
 * A busy machine only makes it longer, so the median is taken until once it is short enough.
 *
 * @param {string} what
 * @param {Stack} stack
 * @param {number} replicas
 * @param {{least?: number, below: number}} limits least: of each median; below: of one of them
 */
async function assertWait(what, stack, replicas, { least = 0, below }) {
  await eventually(`${what}: within ${below} ms`, async () => {
    const ms = await waitMs(stack, replicas);
    assert.ok(ms >= least, `${what}: ${ms} ms, not ${least} ms`);
    return ms < below;
  });
}

/**
 * @param {Stack} stack
 * @param {string} primary
 */
async function assertOneAcknowledges(stack, primary) {
  await eventually('the other replica goes on', async () => {
    const { reached } = await writeAndWait(stack, primary, 2);
    assert.ok(reached < 2, 'the one that is cut off does not acknowledge');
    return reached === 1;
  });
}

/**
 * @param {Ability[]} can
 * @param {() => Stack} running
 */
export function suiteOfLinks(can, running) {
  if (can.includes('partition')) {
    test('a partitioned replica leaves the others alone, and catches up when joined', async () => {
      const stack = running();
      const { id: primary } = await stack.database.primary();
      const [partitioned] = await bothReplicas(stack);
      await stack.host.act(partitioned.id, 'partition');
      await assertOneAcknowledges(stack, primary);
      assert.equal(await ask(stack, partitioned.id, 'PING'), 'PONG', 'clients reach it');
      await stack.host.act(partitioned.id, 'join');
      await eventually('both acknowledge', async () => (await writeAndWait(stack, primary, 2)).reached === 2);
      assert.equal(await ask(stack, partitioned.id, 'GET', KEY), await ask(stack, primary, 'GET', KEY));
      await ask(stack, primary, 'DEL', KEY);
    });

    test('a partitioned primary answers clients and reaches nobody, the others go on without it, and heal unites them', async () => {
      const stack = running();
      const { id: old } = await stack.database.primary();
      try {
        await stack.host.act(old, 'partition');
        assert.equal((await writeAndWait(stack, old, 1)).reached, 0);
        await eventually('a majority chose another', async () => (await stack.database.primary()).id !== old);
        const { id: next } = await stack.database.primary();
        await eventually('it accepts writes', async () => {
          return (await ask(stack, next, 'SET', KEY, 'new').catch(() => '')) === 'OK';
        });
        const [role] = /** @type {unknown[]} */ (await ask(stack, old, 'ROLE'));
        assert.equal(role, 'master', 'nobody could tell the old one');
        assert.notEqual(await ask(stack, old, 'GET', KEY), 'new');

        await stack.host.act(old, 'join');
        await stack.heal();
        assert.deepEqual(await doubts(stack), []);
        assert.equal((await stack.database.primary()).id, next);
        assert.equal(await ask(stack, old, 'GET', KEY), 'new', 'what only the old one had is gone');
        await ask(stack, next, 'DEL', KEY);
      } finally {
        await stack.heal();
      }
    });

    test('heal joins what is partitioned, restarted or not, and again does nothing', async () => {
      const stack = running();
      const [first, second] = await bothReplicas(stack);
      await stack.host.act(first.id, 'partition');
      await stack.host.act(first.id, 'partition');
      await stack.host.act(second.id, 'kill');
      await stack.host.act(second.id, 'partition');
      await stack.host.act(second.id, 'start');
      await stack.host.act('sentinel-3', 'partition');
      await stack.heal();
      assert.deepEqual(await doubts(stack), []);
      await stack.heal();
      await stack.host.act(first.id, 'join');
      assert.deepEqual(await doubts(stack), []);
    });
  } else {
    test('a partition is refused, and changes nothing', async () => {
      const stack = running();
      await assert.rejects(stack.host.act('redis-1', 'partition'), UserError);
      assert.deepEqual(await doubts(stack), []);
    });
  }

  if (can.includes('isolate')) {
    test('an isolated node is reached by nobody, and joined is where it was', async () => {
      const stack = running();
      const { id: primary } = await stack.database.primary();
      const [lonely] = await bothReplicas(stack);
      await stack.host.act(lonely.id, 'isolate');
      assert.ok(await silence(stack, lonely.id));
      await assertOneAcknowledges(stack, primary);
      await stack.host.act(lonely.id, 'join');
      assert.equal(await ask(stack, lonely.id, 'PING'), 'PONG');
      await eventually('the stack is ready', () => isReady(stack));

      await stack.host.act(lonely.id, 'isolate');
      await stack.host.act('sentinel-2', 'isolate');
      await stack.heal();
      assert.deepEqual(await doubts(stack), []);
      await ask(stack, primary, 'DEL', KEY);
    });
  }

  if (can.includes('slow-link')) {
    test('latency of the links is felt by WAIT alone, and is gone after heal', async () => {
      const stack = running();
      const { id: primary } = await stack.database.primary();
      const [far] = await bothReplicas(stack);
      let bare = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 5; i += 1) bare = Math.min(bare, await waitMs(stack, 2));
      await stack.network.slow({ latencyMs: LATENCY_MS, jitterMs: 2 }, far.id);
      const soon = { below: bare + SLACK_MS };
      const late = { below: bare + LATENCY_MS + SLACK_MS };
      await assertWait('the near replica acknowledges as before', stack, 1, soon);
      await assertWait('the far one is far', stack, 2, { least: LATENCY_MS - 4, ...late });

      await stack.network.slow({ latencyMs: LATENCY_MS });
      await assertWait('both are far', stack, 1, { least: LATENCY_MS - 0.1, ...late });
      await assertWait('clients pass no relay', stack, 0, soon);
      await stack.network.slow(null, far.id);
      await assertWait('what lay on one node is gone by itself', stack, 2, late);

      await stack.heal();
      assert.deepEqual(await doubts(stack), []);
      await assertWait('all are near again', stack, 2, soon);
      await ask(stack, primary, 'DEL', KEY);
    });
  } else {
    test('slowing links is refused', async () => {
      await assert.rejects(running().network.slow({ latencyMs: 1 }), UserError);
    });
  }
}
