import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { median } from 'simple-statistics';
import { needs } from '../../../../test/needs.js';
import { openEngine } from '../../docker/engine.js';
import { whatIsLeft } from '../../docker/project.js';
import { eventually } from '../../fixture.js';
import { whyNoLatency } from '../../links.js';
import { connectControl } from '../control.js';
import { startDocker } from './index.js';

/** @import { Stack } from '../../types.js' */

/**
 * A stack in containers with Toxiproxy between its nodes.
 */

const LATENCY_MS = 41;
const WAIT_MS = 20_000;
const SAMPLES = 5;

const noDocker = await needs('docker');
const noToxiproxy =
  noDocker || ((await whyNoLatency({ about: /** @type {any} */ ({ backend: 'docker' }) }, 1)) ?? false);

describe('a stack with Toxiproxy between its nodes', { skip: noToxiproxy }, () => {
  /** @type {Stack} */
  let stack;

  before(async () => {
    stack = await startDocker({ links: true });
  });
  after(() => stack?.close());

  /** @returns {Promise<number>} the median time of a write that both replicas acknowledge */
  async function waitMs() {
    const control = await connectControl((await stack.database.primary()).address, {}, { timeoutMs: 2 * WAIT_MS });
    try {
      const times = [];
      for (let i = 0; i < SAMPLES; i++) {
        const begins = performance.now();
        await control.call('SET', 'links', i);
        assert.equal(await control.call('WAIT', 2, WAIT_MS), 2);
        times.push(performance.now() - begins);
      }
      return median(times);
    } finally {
      control.close();
    }
  }

  it('makes WAIT longer by what the links take, until it is healed', async () => {
    assert.ok(stack.can.has('slow-all'));
    await stack.network.slow({ latencyMs: LATENCY_MS });
    assert.ok((await waitMs()) >= LATENCY_MS, 'no WAIT is faster than the round trip');
    await stack.heal();
    await eventually('WAIT is fast again', async () => (await waitMs()) < LATENCY_MS);
  });

  it('can still partition a node, and join it again', async () => {
    const [{ id }] = await stack.database.replicas();
    const { address } = await stack.database.primary();
    const control = await connectControl(address, {}, { timeoutMs: 2 * WAIT_MS });
    try {
      await stack.host.act(id, 'partition');
      await control.call('SET', 'links', 'partition');
      assert.equal(await control.call('WAIT', 2, 300), 1);
      await stack.heal();
      assert.equal(await control.call('WAIT', 2, WAIT_MS), 2);
    } finally {
      control.close();
    }
  });

  it('leaves nothing', async () => {
    await stack.close();
    assert.deepEqual(await whatIsLeft(await openEngine(), stack.about.identity), []);
  });
});
