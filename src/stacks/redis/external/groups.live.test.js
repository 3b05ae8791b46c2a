import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../../../test/needs.js';
import { UserError } from '../../../errors.js';
import { groupPartition, NETWORK } from '../../../faults/index.js';
import { createJournal } from '../../../faults/journal.js';
import { ownTemporaryFolder } from '../../fixture.js';
import { hostsByAddress } from '../../network/placement.js';
import { bothReplicas, eventually, isReady, writeAndWait } from '../conformance-help.js';
import { startLocal } from '../local/index.js';
import { wordsOfGroups } from './commands.js';
import { groupCommands } from './groups-fixture.js';
import { attachExternal } from './index.js';

/** @import { Stack } from '../../types.js' */

await ownTemporaryFolder();

/** Longer than a WAIT takes that replicas answer. */
const WAIT_MS = 500;

describe('groups of somebody else’s nodes, separated by the user’s commands', { skip: await needs('firewall') }, () => {
  const { commands, tables } = groupCommands();
  /** @type {Stack} */
  let below;
  /** @type {Stack} */
  let stack;
  before(async () => {
    below = await startLocal({ network: true });
    const [{ address }] = below.nodes.filter(({ kind }) => kind === 'sentinel');
    stack = await attachExternal({ sentinels: [address], commands });
  });
  after(async () => {
    execFileSync('sh', ['-c', commands.unite]);
    await stack?.close();
    await below?.close();
  });

  /** @returns {Promise<number>} replicas that confirm a write */
  const confirming = async () => (await writeAndWait(stack, 2, { waitMs: WAIT_MS })).reached;

  test('they are in force while the fault lasts, and what undoes it is on disk', async () => {
    assert.ok(stack.can.has('group-partition'));
    const { id: primary } = await stack.database.primary();
    const [lost, other] = await bothReplicas(stack);
    await eventually('both confirm', async () => (await confirming()) === 2);
    const journal = createJournal(stack, { commands });
    const groups = [[primary, other.id], [lost.id]];
    const undo = await groupPartition({ groups }).inject({ stack, journal }, NETWORK);
    assert.equal(tables().length, 1);
    await eventually('one confirms', async () => (await confirming()) === 1);
    await undo();
    assert.deepEqual(tables(), []);
    await eventually('both confirm', async () => (await confirming()) === 2);
    await journal.close();
  });

  test('heal joins them, and runs nothing if they are joined', async () => {
    const { id: primary } = await stack.database.primary();
    const [lost] = await bothReplicas(stack);
    await stack.network.groups?.divide({ groups: [[primary], [lost.id]] });
    assert.equal(tables().length, 1);
    await stack.heal();
    assert.deepEqual(tables(), []);
    await eventually('all is well', () => isReady(below));
  });

  test('nodes of one host cannot be separated', async () => {
    const { id: primary } = await stack.database.primary();
    const [{ id }] = await bothReplicas(stack);
    const alike = stack.nodes.map((node) => ({ ...node, address: { ...node.address, host: '10.0.0.1' } }));
    assert.equal(hostsByAddress(stack.nodes, primary)?.length, 6);
    assert.equal(hostsByAddress(alike, primary), null);
    const groups = [[primary], [id]].map((ids) => alike.filter((node) => ids.includes(node.id)));
    assert.throws(() => wordsOfGroups(groups, false), UserError);
  });
});
