/** Cases: batches that are transactions. Only the clients of libraries send them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, times } from './probe.js';
import { startRelay } from './relay.js';

/**
 * @import { Client } from '../types.js'
 * @import { ClientStack } from './stack.js'
 */

/** @param {Client} client @param {ClientStack} stack */
export function transactions(client, stack) {
  test('a batch is one MULTI and one EXEC, and WAIT follows', async (t) => {
    const relay = await startRelay(stack.primary);
    t.after(() => relay.close());
    const shape = { pipeline: 10, waitReplicas: 2, transaction: true };
    const probe = await open(t, client, relay.address, shape);
    assert.deepEqual(await probe.write(), { outcomes: times(10, 'acked'), waitCount: 2, errors: [] });
    const sent = ['MULTI', 'SET', 'EXEC', 'WAIT'].map((command) => relay.seen(command));
    assert.deepEqual(sent, [1, 10, 1, 1]);
    assert.equal((await probe.connection.read(9))?.length, 16);
  });

  test('a transaction that was not executed is rejected as a whole', async (t) => {
    const probe = await open(t, client, stack.primary, { pipeline: 4, transaction: true });
    await stack.call('CONFIG', 'SET', 'min-replicas-to-write', '9');
    t.after(() => stack.call('CONFIG', 'SET', 'min-replicas-to-write', '0'));
    const { outcomes, errors } = await probe.write();
    assert.deepEqual(outcomes, times(4, 'rejected'));
    assert.ok(
      errors.length > 0 && errors.every((kind) => ['NOREPLICAS', 'EXECABORT'].includes(kind)),
      errors.join(' '),
    );
    await stack.call('CONFIG', 'SET', 'min-replicas-to-write', '0');
    assert.deepEqual((await probe.write()).outcomes, times(4, 'acked'), 'the connection goes on');
  });
}
