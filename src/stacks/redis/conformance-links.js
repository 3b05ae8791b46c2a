import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../errors.js';
import { ask, bothReplicas, doubts, eventually, isReady, KEY, nodeOf, silence } from './conformance-help.js';
import { connectControl } from './control.js';

/** @import { Ability, Cluster } from '../types.js' */

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
 * @param {Cluster} cluster
 * @param {string} id of the primary
 * @param {number} replicas
 * @param {number} [waitMs]
 * @returns {Promise<{reached: number, ms: number}>}
 */
async function writeAndWait(cluster, id, replicas, waitMs = WAIT_MS) {
  const control = await connectControl(nodeOf(cluster, id).address, {}, { timeoutMs: 2 * PATIENT_WAIT_MS });
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
 * @param {Cluster} cluster
 * @param {number} replicas
 * @returns {Promise<number>} the median of some
 */
async function waitMs(cluster, replicas) {
  const { id } = await cluster.primary();
  const times = [];
  for (let i = 0; i < 7; i += 1) {
    const { reached, ms } = await writeAndWait(cluster, id, replicas, PATIENT_WAIT_MS);
    assert.ok(reached >= replicas, `${reached} of ${replicas} replicas acknowledge`);
    times.push(ms);
  }
  return times.sort((a, b) => a - b)[3];
}

/**
 * A busy machine only makes it longer, so the median is taken until once it is short enough.
 *
 * @param {string} what
 * @param {Cluster} cluster
 * @param {number} replicas
 * @param {{least?: number, below: number}} limits least: of each median; below: of one of them
 */
async function assertWait(what, cluster, replicas, { least = 0, below }) {
  await eventually(`${what}: within ${below} ms`, async () => {
    const ms = await waitMs(cluster, replicas);
    assert.ok(ms >= least, `${what}: ${ms} ms, not ${least} ms`);
    return ms < below;
  });
}

/**
 * @param {Cluster} cluster
 * @param {string} primary
 */
async function assertOneAcknowledges(cluster, primary) {
  await eventually('the other replica goes on', async () => {
    const { reached } = await writeAndWait(cluster, primary, 2);
    assert.ok(reached < 2, 'the one that is cut off does not acknowledge');
    return reached === 1;
  });
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
      const [cut] = await bothReplicas(cluster);
      await cluster.act(cut.id, 'cut');
      await assertOneAcknowledges(cluster, primary);
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
      }
    });

    test('heal joins what is cut, restarted or not, and again does nothing', async () => {
      const cluster = running();
      const [first, second] = await bothReplicas(cluster);
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
      const [lonely] = await bothReplicas(cluster);
      await cluster.act(lonely.id, 'isolate');
      assert.ok(await silence(cluster, lonely.id));
      await assertOneAcknowledges(cluster, primary);
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
      const [far] = await bothReplicas(cluster);
      let bare = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 5; i += 1) bare = Math.min(bare, await waitMs(cluster, 2));
      await cluster.slow({ latencyMs: LATENCY_MS, jitterMs: 2 }, far.id);
      const soon = { below: bare + SLACK_MS };
      const late = { below: bare + LATENCY_MS + SLACK_MS };
      await assertWait('the near replica acknowledges as before', cluster, 1, soon);
      await assertWait('the far one is far', cluster, 2, { least: LATENCY_MS - 4, ...late });

      await cluster.slow({ latencyMs: LATENCY_MS });
      await assertWait('both are far', cluster, 1, { least: LATENCY_MS - 0.1, ...late });
      await assertWait('clients pass no relay', cluster, 0, soon);
      await cluster.slow(null, far.id);
      await assertWait('what lay on one node is gone by itself', cluster, 2, late);

      await cluster.heal();
      assert.deepEqual(await doubts(cluster), []);
      await assertWait('all are near again', cluster, 2, soon);
      await ask(cluster, primary, 'DEL', KEY);
    });
  } else {
    test('slowing links is refused', async () => {
      await assert.rejects(running().slow({ latencyMs: 1 }), UserError);
    });
  }
}
