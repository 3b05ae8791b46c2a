import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needs } from '../../../../test/needs.js';
import { eventually } from '../../fixture.js';
import { openEngine } from '../../hosts/docker/engine.js';
import { whatIsLeft } from '../../hosts/docker/project.js';
import { whyNoLatency } from '../../network/links.js';
import { writeAndWait } from '../conformance-help.js';
import { startDocker } from './index.js';

/** @import { Stack } from '../../types.js' */

/**
 * A stack in containers with Toxiproxy between its nodes.
 */

const LATENCY_MS = 41;

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

  it('makes WAIT longer by what the links take, until it is healed', async () => {
    assert.ok(stack.can.has('slow-all'));
    await stack.network.slow({ latencyMs: LATENCY_MS });
    assert.ok((await writeAndWait(stack, 2)).ms >= LATENCY_MS, 'no WAIT is faster than the round trip');
    await stack.heal();
    await eventually('WAIT is fast again', async () => (await writeAndWait(stack, 2)).ms < LATENCY_MS);
  });

  it('can still partition a node, and join it again', async () => {
    const [{ id }] = await stack.database.replicas();
    await stack.host.act(id, 'partition');
    assert.equal((await writeAndWait(stack, 2, { waitMs: 300 })).reached, 1);
    await stack.heal();
    assert.equal((await writeAndWait(stack, 2)).reached, 2);
  });

  it('leaves nothing', async () => {
    await stack.close();
    assert.deepEqual(await whatIsLeft(await openEngine(), stack.about.identity), []);
  });
});
