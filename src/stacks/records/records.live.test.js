import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UserError } from '../../errors.js';
import { ownTemporaryFolder } from '../fixture.js';
import { ownerLives } from './owners.js';
import { listRecords, removeRecord, stateFolder, writeRecord } from './records.js';

const folder = await ownTemporaryFolder();

test('a note says whose it is until it is removed, and each kind has its own', () => {
  assert.deepEqual(listRecords('files'), []);
  writeRecord('files', 'one', join(folder, 'one'));
  const [record, ...others] = listRecords('files');
  assert.deepEqual([record.name, record.folder, others], ['one', join(folder, 'one'), []]);
  assert.ok(ownerLives(record.owner));
  assert.ok(!ownerLives({ ...record.owner, startTime: '0' }), 'another process with this number');
  assert.ok(ownerLives({ ...record.owner, startTime: '0', host: 'elsewhere' }), 'it cannot be told');
  assert.deepEqual(listRecords('volumes'), []);
  removeRecord('files', 'one');
  removeRecord('files', 'one');
  assert.deepEqual(listRecords('files'), []);
});

test('a damaged one is named, with what to do', () => {
  writeRecord('files', 'two', join(folder, 'two'));
  const file = join(stateFolder('files'), 'two.json');
  writeFileSync(file, '');
  assert.throws(
    () => listRecords('files'),
    (error) => error instanceof UserError && error.message.includes(file) && /^Remove it/.test(error.remedy),
  );
  removeRecord('files', 'two');
});
