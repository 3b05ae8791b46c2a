import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { ownTemporaryFolder } from './fixture.js';
import { listRecords } from './records.js';
import { startVolatileDisk, whyModelFails } from './volatile-disk.js';
import { loopDevices, mountsIn } from './volume.js';

/** @import { SpawnSyncOptions } from 'node:child_process' */

const folder = await ownTemporaryFolder();
const skip = await needs('volatile disk');

const MODULE = JSON.stringify(new URL('./volatile-disk.js', import.meta.url).href);

function assertNothingLeft() {
  assert.deepEqual(mountsIn(folder), []);
  assert.deepEqual(loopDevices(folder), []);
  assert.deepEqual(listRecords('volumes'), []);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name !== 'state'),
    [],
  );
}

/**
 * @param {SpawnSyncOptions} less than this process has
 * @returns {string} the reason that another process is given
 */
function reasonFor(less) {
  const script = `import { whyNoVolatileDisk } from ${MODULE}; console.log(await whyNoVolatileDisk());`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: '/', ...less });
  return String(output).trim();
}

describe('where power loss cannot be emulated', () => {
  test('without root the message says so', () => {
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    assert.match(reasonFor(nobody), /^No power loss can be emulated: .*(root.+sudo|needs Linux).*\.$/);
  });

  test('without nbdkit the message says how to install it', { skip }, () => {
    const reason = reasonFor({ env: { ...process.env, PATH: '/nowhere' } });
    assert.match(reason, /nbdkit and nbdfuse.* on PATH, so install .*apt install/);
  });
});

describe('the self-test of the power loss', { skip }, () => {
  test('passes: a synced block survives, an unsynced one does not', async () => {
    assert.equal(await whyModelFails(), null);
    assertNothingLeft();
  });

  test('fails on a disk that loses synced blocks', async () => {
    const reason = await whyModelFails({ start: (options) => startVolatileDisk({ ...options, cache: 'unsafe' }) });
    assert.match(String(reason), /failed its self-test: .*lost/);
    assertNothingLeft();
  });

  test('fails on a disk without a volatile cache', async () => {
    const reason = await whyModelFails({
      start: (options) => startVolatileDisk({ ...options, cache: 'writethrough' }),
    });
    assert.match(String(reason), /failed its self-test: a block that was never synced survived\. Update nbdkit/);
    assertNothingLeft();
  });
});

describe('a volatile disk', { skip }, () => {
  test('loses what was not synced at each power cut, and leaves nothing when closed', async () => {
    const disk = await startVolatileDisk();
    try {
      for (const name of ['first', 'second']) {
        writeFileSync(join(disk.path, name), name);
        let ended = false;
        const cut = disk.cutPower(async () => {
          ended = true;
        });
        assert.ok(ended, 'the users of the disk end in the same instant');
        await cut;
        await disk.cutPower(async () => assert.fail('the power is off'));
        assert.ok(!existsSync(join(disk.path, name)), 'it is not mounted');
        await disk.restorePower();
        await disk.restorePower();
        assert.ok(!existsSync(join(disk.path, name)), `${name} was never synced`);
      }
    } finally {
      await disk.close();
      await disk.close();
    }
    assertNothingLeft();
  });
});
