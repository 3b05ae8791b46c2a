import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { listJournalFiles } from '../faults/journal-file.js';
import { askNode } from '../stacks/ask.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { createTuning } from './testbed.js';

/** @import { Stack } from '../stacks/types.js' */

await ownTemporaryFolder();
const skip = await needs('server');

describe('settings that cases ask for', { skip }, () => {
  /** @type {Stack} */
  let stack;
  const roles = { primary: 'redis-1', replicas: ['redis-2', 'redis-3'] };

  before(async () => {
    stack = await startLocal({});
  });
  after(() => stack?.close());

  /** @param {string} name */
  const valuesOf = (name) =>
    Promise.all(
      ['redis-1', 'redis-2', 'redis-3'].map((id) =>
        askNode(stack, id, async (control) => {
          const [, value] = /** @type {string[]} */ (await control.call('CONFIG', 'GET', name));
          return value;
        }),
      ),
    );

  test('are in force on each node, make way for the next ones, and are put back', async () => {
    const tuning = createTuning({ ...stack, about: { ...stack.about, ours: false } });
    await tuning.become({ settings: { hz: '20', 'repl-timeout': '61' }, replicaSettings: { hz: '30' } }, roles);
    assert.deepEqual(await valuesOf('hz'), ['20', '30', '30']);
    assert.deepEqual(await valuesOf('repl-timeout'), ['61', '61', '61']);
    assert.equal(listJournalFiles().length, 1, 'what is to be undone is on disk');
    await tuning.become({ settings: { hz: '40' } }, roles);
    assert.deepEqual(await valuesOf('hz'), ['40', '40', '40']);
    assert.deepEqual(
      await valuesOf('repl-timeout'),
      ['60', '60', '60'],
      'what the next case does not ask for is put back',
    );
    await tuning.become({}, roles);
    assert.deepEqual(await valuesOf('hz'), ['10', '10', '10'], 'a case without settings finds none');
    await tuning.become({ settings: { hz: '40' } }, roles);
    await tuning.close();
    assert.deepEqual(await valuesOf('hz'), ['10', '10', '10']);
    assert.deepEqual(listJournalFiles(), []);
  });

  test('keys that will be written to a stack that stays are removed when it is closed', async () => {
    const tuning = createTuning({ ...stack, about: { ...stack.about, ours: false } });
    await tuning.willWrite('sentinel-bench:tuning-test:');
    await askNode(stack, 'redis-1', (control) => control.call('MSET', 'sentinel-bench:tuning-test:1', 1, 'other', 1));
    await tuning.close();
    const left = await askNode(stack, 'redis-1', (control) =>
      control.call('EXISTS', 'sentinel-bench:tuning-test:1', 'other'),
    );
    assert.equal(left, 1);
  });
});
