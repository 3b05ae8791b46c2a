/** Cases: a node that answers, but not with OK. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startNode, until } from './nodes.js';
import { open, times } from './probe.js';

/**
 * @import { Client } from '../types.js'
 * @import { ClientStack } from './stack.js'
 * @import { TestContext } from 'node:test'
 */

/** @param {Client} client @param {ClientStack} stack */
export function refusals(client, stack) {
  test('NOREPLICAS: rejected, told for each write, and nothing was written', async (t) => {
    const probe = await open(t, client, stack.primary);
    await stack.withConfig('min-replicas-to-write', '3', async () => {
      assert.deepEqual(await probe.write(), {
        outcomes: times(3, 'rejected'),
        waitCount: -1,
        errors: times(3, 'NOREPLICAS'),
      });
    });
    assert.equal(await stack.call('EXISTS', probe.key(0), probe.key(1), probe.key(2)), 0);
    assert.deepEqual((await probe.write()).outcomes, times(3, 'acked'), 'the connection is as good as before');
  });

  for (const waitMode of /** @type {const} */ (['pipelined', 'sequential'])) {
    test(`${waitMode}: of one batch some writes are refused and the others acknowledged`, async (t) => {
      const { node, target } = await guarded(t);
      const probe = await open(t, client, target, {
        keyPrefix: 'sentinel-bench:some:',
        waitReplicas: 1,
        waitTimeoutMs: 50,
        waitMode,
      });
      const { outcomes, waitCount, errors } = await probe.write([1, 500_000_000, 2]);
      assert.deepEqual(outcomes, ['underAcked', 'rejected', 'underAcked']);
      assert.deepEqual({ waitCount, errors }, { waitCount: 0, errors: ['NOPERM'] });
      assert.equal(await node.call('DBSIZE'), 2);
    });
  }

  test('UNBLOCKED: a primary demoted while WAIT blocks leaves the writes underAcked', async (t) => {
    const probe = await open(t, client, stack.primary, { waitReplicas: 2 });
    await stack.withPaused(0, () =>
      stack.withPaused(1, async () => {
        const result = probe.write();
        await until(stack.hasBlockedClient, 'WAIT blocks');
        await stack.whileDemoted(async () => {
          assert.deepEqual(await result, { outcomes: times(3, 'underAcked'), waitCount: -1, errors: ['UNBLOCKED'] });
        });
      }),
    );
    await stack.inSync();
  });

  /** A node with a user who may write keys that start with `sentinel-bench:some:0000` only. @param {TestContext} t */
  async function guarded(t) {
    const node = await startNode(['--user', 'default', 'on', 'nopass', '~*', '+@all']);
    t.after(() => node.close());
    await node.call('ACL', 'SETUSER', 'limited', 'on', '>a password', '~sentinel-bench:some:0000*', '+@all');
    return { node, target: { ...node.address, credentials: { username: 'limited', password: 'a password' } } };
  }
}
