import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../errors.js';
import { ask, bothReplicas, doubts, eventually, KEY, writeAndWait } from './conformance-help.js';

/** @import { Ability, Stack } from '../types.js' */

/**
 * The part of the suite for every backend that is about the links between nodes. How long a slow link takes is in the tests of the relay.
 */

/** Where some of the replicas cannot acknowledge: long enough for one that can, nearly always. */
const WAIT_MS = 300;

const LATENCY_MS = 100;
/** What a clock may be off by. */
const SLACK_MS = 1;
/** Longer than a WAIT takes on near links while the machine is not busy. */
const NEAR_MS = LATENCY_MS / 2;

/**
 * @param {Ability[]} can
 * @param {() => Stack} running
 */
export function suiteOfLinks(can, running) {
  if (can.includes('partition')) {
    test('a partitioned primary answers clients and reaches nobody, the others go on without it, and heal unites them', async () => {
      const stack = running();
      const { id: old } = await stack.database.primary();
      try {
        await stack.host.act(old, 'partition');
        assert.equal((await writeAndWait(stack, 1, { id: old, waitMs: WAIT_MS })).reached, 0);
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
    test('heal joins what is isolated', async () => {
      const stack = running();
      const [lonely] = await bothReplicas(stack);
      await stack.host.act(lonely.id, 'isolate');
      await stack.host.act('sentinel-2', 'isolate');
      await stack.heal();
      assert.deepEqual(await doubts(stack), []);
    });
  }

  if (can.includes('slow-link')) {
    test('latency of the links is felt by WAIT alone, and is gone after heal', async () => {
      const stack = running();
      const [far] = await bothReplicas(stack);
      await stack.network.slow({ latencyMs: LATENCY_MS }, far.id);
      assert.ok((await writeAndWait(stack, 2)).ms >= LATENCY_MS - SLACK_MS, 'the far replica is far');
      await eventually('the near one is not', async () => (await writeAndWait(stack, 1)).ms < NEAR_MS);

      await stack.network.slow({ latencyMs: LATENCY_MS });
      assert.ok((await writeAndWait(stack, 1)).ms >= LATENCY_MS - SLACK_MS, 'both are far');
      await eventually('clients pass no relay', async () => (await writeAndWait(stack, 0)).ms < NEAR_MS);

      await stack.heal();
      assert.deepEqual(await doubts(stack), []);
      await eventually('all are near again', async () => (await writeAndWait(stack, 2)).ms < NEAR_MS);
    });
  } else {
    test('slowing links is refused', async () => {
      await assert.rejects(running().network.slow({ latencyMs: 1 }), UserError);
    });
  }
}
