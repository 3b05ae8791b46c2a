/** Writers that live in groups of the network, on a real stack: each reaches what its group reaches. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { createLedger, openLedger, State } from '../audit/ledger.js';
import { groupPartition, NETWORK } from '../faults/index.js';
import { createJournal } from '../faults/journal.js';
import { planTrial } from '../run/trial-plan.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { ask } from '../stacks/redis/conformance-help.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { startTrialThread } from './trial-thread.js';

/** @import { Stack } from '../stacks/types.js' */

await ownTemporaryFolder();
const skip = await needs('redis-server', 'firewall');

/** @type {Stack} */
let stack;
before(async () => {
  if (skip) return;
  stack = await startLocal({ server: 'redis-server', network: true });
});
after(() => stack?.close());

const WRITERS = ['sticky@here', 'failover-aware@there', 'ioredis@there', 'redis@here', 'sticky'];

test('a writer dials from its own address and is in its group', { skip, timeout: 300_000 }, async () => {
  const network = /** @type {NonNullable<Stack['network']['groups']>} */ (stack.network.groups);
  await network.admit(['here', 'there']);
  const params = {
    writers: WRITERS,
    rate: 100,
    connections: 2,
    payloadBytes: 64,
    wait: 0,
    waitTimeoutMs: 500,
    waitMode: 'pipelined',
  };
  const plan = planTrial(stack, /** @type {any} */ ({ params }), 'sentinel-bench:placed:');
  assert.deepEqual(
    plan.writers.map(({ from }) => from),
    ['here', 'there', 'there', 'here', undefined].map((place) => place && network.clientAddress(place)),
  );
  plan.writers.forEach((writer) => {
    writer.ledger = createLedger(100_000).buffer;
  });
  const acked = () =>
    plan.writers.map(({ ledger }) =>
      openLedger(ledger).states.reduce((sum, state) => sum + Number(state === State.acked), 0),
    );
  const thread = startTrialThread();
  const journal = createJournal(stack);
  try {
    await thread.start(plan);
    const primary = await stack.database.primary();
    const clients = String(await ask(stack, primary.id, 'CLIENT', 'LIST'));
    for (const place of ['here', 'there']) assert.ok(clients.includes(`addr=${network.clientAddress(place)}:`), place);
    // Sentinels are asked and listened to from there, too.
    const ofSentinel = String(await ask(stack, 'sentinel-1', 'CLIENT', 'LIST'));
    assert.ok(ofSentinel.includes(`addr=${network.clientAddress('there')}:`), ofSentinel);
    await eventually('all write', () => acked().every((count) => count > 0));

    const others = stack.nodes.filter(({ id }) => id !== primary.id).map(({ id }) => id);
    const groups = [
      [primary.id, 'here'],
      [...others, 'there'],
    ];
    const undo = await groupPartition({ groups }).inject({ stack, journal }, NETWORK);
    const before = acked();
    await eventually('those in its group and in none write on', () =>
      [0, 3, 4].every((index) => acked()[index] > before[index] + 50),
    );
    await undo();
    const { writers } = await thread.stop();
    assert.deepEqual(
      writers.map(({ name }) => name),
      WRITERS,
    );
  } finally {
    await journal.close({ abandon: true });
    await thread.close();
  }
});
