import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { whyNoReplicatedVolume } from '../stacks/volumes/replicated-volume.js';
import { whyNoSlowVolume } from '../stacks/volumes/slow-volume.js';
import { openStorages } from './storages.js';

const folder = await ownTemporaryFolder();
const ownDisk = join(folder, 'own');
mkdirSync(ownDisk);
const noSlow = await whyNoSlowVolume();
const noReplicated = await whyNoReplicatedVolume();

function leftovers() {
  return readdirSync(folder).filter((name) => name !== 'state');
}

test('the default class comes first, then the user’s, then our volumes or the reasons why they are missing', async () => {
  /** @type {string[]} */
  const messages = [];
  const opened = await openStorages({
    places: [{ label: 'ssd', path: ownDisk }],
    delayMs: 5,
    replicated: true,
    tell: (line) => messages.push(line),
  });
  try {
    const { storages, unavailable } = opened;
    const labels = storages.map(({ label, emulated }) => `${label} ${emulated}`);
    const volumes = [...(noReplicated === null ? ['gluster false'] : []), ...(noSlow === null ? ['slow true'] : [])];
    assert.deepEqual(labels, ['tmp false', 'ssd false', ...volumes]);
    const reasons = [noReplicated, noSlow].filter((reason) => reason !== null);
    assert.equal(unavailable, reasons.length === 0 ? null : reasons.join(' '));
    for (const { path, how } of storages) {
      assert.ok(statSync(path).isDirectory());
      assert.ok(!how.includes('/'), 'no path in it');
    }
  } finally {
    await opened.close();
    await opened.close();
  }
  assert.deepEqual(leftovers(), ['own']);
});
