import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../errors.js';
import { ask, doubts, eventually, isReady, KEY, nodeOf } from './conformance-help.js';
import { connectControl } from './control.js';

/**
 * The part of the suite for every backend that is about the links between nodes.
 *
 * @typedef {import('./types.js').Ability} Ability
 * @typedef {import('./types.js').Cluster} Cluster
 */

const WAIT_MS = 300;

const LATENCY_MS = 40;

/** What a busy machine may add to a median of a few milliseconds. */
const SLACK_MS = 25;

/**
 * @param {Cluster} cluster
 * @param {number} ms what a Sentinel waits for before it calls a node down
 */
async function setDownAfter(cluster, ms) {
  for (const { id } of cluster.nodes.filter(({ kind }) => kind === 'sentinel')) {
    await ask(cluster, id, 'SENTINEL', 'SET', cluster.masterName, 'down-after-milliseconds', String(ms));
  }
}

/**
 * A write and its WAIT, on one connection.
 *
 * @param {Cluster} cluster
 * @param {string} id of the primary
 * @param {number} replicas
 * @returns {Promise<{reached: number, ms: number}>}
 */
async function writeAndWait(cluster, id, replicas) {
  const control = await connectControl(nodeOf(cluster, id).address, {}, { timeoutMs: 2 * WAIT_MS });
  try {
    const started = performance.now();
    const written = control.call('SET', KEY, started);
    const reached = Number(await control.call('WAIT', replicas, WAIT_MS));
    const ms = performance.now() - started;
    assert.equal(await written, 'OK');
    return { reached, ms };
  } finally {
    control.close();
  }
}

/**
 * @param {Cluster} cluster
 * @param {number} replicas
 * @returns {Promise<number>} the median of some
 */
async function waitMs(cluster, replicas) {
  const { id } = await cluster.primary();
  const times = [];
  for (let i = 0; i < 7; i += 1) {
    const { reached, ms } = await writeAndWait(cluster, id, replicas);
    assert.ok(reached >= replicas, `${reached} of ${replicas} replicas acknowledge`);
    times.push(ms);
  }
  return times.sort((a, b) => a - b)[3];
}

/**
 * @param {Ability[]} can
 * @param {() => Cluster} running
 */
export function suiteOfLinks(can, running) {
  if (can.includes('cut')) {
    test('a cut replica leaves the others alone, and catches up when joined', async () => {
      const cluster = running();
      const { id: primary } = await cluster.primary();
      const [cut] = await cluster.replicas();
      await cluster.act(cut.id, 'cut');
      assert.equal((await writeAndWait(cluster, primary, 2)).reached, 1, 'the other replica goes on');
      assert.equal(await ask(cluster, cut.id, 'PING'), 'PONG', 'clients reach it');
      await cluster.act(cut.id, 'join');
      await eventually('both acknowledge', async () => (await writeAndWait(cluster, primary, 2)).reached === 2);
      assert.equal(await ask(cluster, cut.id, 'GET', KEY), await ask(cluster, primary, 'GET', KEY));
      await ask(cluster, primary, 'DEL', KEY);
    });

    test('a cut primary answers clients and reaches nobody, the others go on without it, and heal unites them', async () => {
      const cluster = running();
      const { id: old } = await cluster.primary();
      try {
        await setDownAfter(cluster, 1000);
        await cluster.act(old, 'cut');
        assert.equal((await writeAndWait(cluster, old, 1)).reached, 0);
        await eventually('a majority chose another', async () => (await cluster.primary()).id !== old);
        const { id: next } = await cluster.primary();
        await eventually('it accepts writes', async () => {
          return (await ask(cluster, next, 'SET', KEY, 'new').catch(() => '')) === 'OK';
        });
        const [role] = /** @type {unknown[]} */ (await ask(cluster, old, 'ROLE'));
        assert.equal(role, 'master', 'nobody could tell the old one');
        assert.notEqual(await ask(cluster, old, 'GET', KEY), 'new');

        await cluster.act(old, 'join');
        await cluster.heal();
        assert.deepEqual(await doubts(cluster), []);
        assert.equal((await cluster.primary()).id, next);
        assert.equal(await ask(cluster, old, 'GET', KEY), 'new', 'what only the old one had is gone');
        await ask(cluster, next, 'DEL', KEY);
      } finally {
        await cluster.heal();
        await setDownAfter(cluster, 5000);
      }
    });

    test('heal joins what is cut, restarted or not, and again does nothing', async () => {
      const cluster = running();
      const [first, second] = await cluster.replicas();
      await cluster.act(first.id, 'cut');
      await cluster.act(first.id, 'cut');
      await cluster.act(second.id, 'kill');
      await cluster.act(second.id, 'cut');
      await cluster.act(second.id, 'start');
      await cluster.act('sentinel-3', 'cut');
      await cluster.heal();
      assert.deepEqual(await doubts(cluster), []);
      await cluster.heal();
      await cluster.act(first.id, 'join');
      assert.deepEqual(await doubts(cluster), []);
    });
  } else {
    test('a cut is refused, and changes nothing', async () => {
      const cluster = running();
      await assert.rejects(cluster.act('redis-1', 'cut'), UserError);
      assert.deepEqual(await doubts(cluster), []);
    });
  }

  if (can.includes('isolate')) {
    test('an isolated node is reached by nobody, and joined is where it was', async () => {
      const cluster = running();
      const { id: primary } = await cluster.primary();
      const [lonely] = await cluster.replicas();
      await cluster.act(lonely.id, 'isolate');
      await assert.rejects(ask(cluster, lonely.id, 'PING'));
      assert.equal((await writeAndWait(cluster, primary, 2)).reached, 1);
      await cluster.act(lonely.id, 'join');
      assert.equal(await ask(cluster, lonely.id, 'PING'), 'PONG');
      await eventually('the stack is ready', () => isReady(cluster));

      await cluster.act(lonely.id, 'isolate');
      await cluster.act('sentinel-2', 'isolate');
      await cluster.heal();
      assert.deepEqual(await doubts(cluster), []);
      await ask(cluster, primary, 'DEL', KEY);
    });
  }

  if (can.includes('slow-link')) {
    test('latency of the links is felt by WAIT alone, and is gone after heal', async () => {
      const cluster = running();
      const { id: primary } = await cluster.primary();
      const [far] = await cluster.replicas();
      const bare = await waitMs(cluster, 2);
      await cluster.slow({ latencyMs: LATENCY_MS, jitterMs: 2 }, far.id);
      assert.ok((await waitMs(cluster, 1)) < bare + SLACK_MS, 'the near replica acknowledges as before');
      const both = await waitMs(cluster, 2);
      assert.ok(both > LATENCY_MS - 4 && both < bare + LATENCY_MS + SLACK_MS, `${both} ms`);

      await cluster.slow({ latencyMs: LATENCY_MS });
      const one = await waitMs(cluster, 1);
      assert.ok(one >= LATENCY_MS && one < bare + LATENCY_MS + SLACK_MS, `${one} ms`);
      assert.ok((await waitMs(cluster, 0)) < bare + SLACK_MS, 'clients pass no relay');
      await cluster.slow(null, far.id);
      assert.ok((await waitMs(cluster, 2)) < bare + LATENCY_MS + SLACK_MS, 'what lay on one node is gone by itself');

      await cluster.heal();
      assert.deepEqual(await doubts(cluster), []);
      assert.ok((await waitMs(cluster, 2)) < bare + SLACK_MS);
      await ask(cluster, primary, 'DEL', KEY);
    });
  } else {
    test('slowing links is refused', async () => {
      await assert.rejects(running().slow({ latencyMs: 1 }), UserError);
    });
  }
}
