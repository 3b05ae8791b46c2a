import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ExitStatus, UserError } from '../errors.js';
import { memoryGroups } from './limits.js';
import { checkStorage, probeStorage } from './storage.js';

const folder = mkdtempSync(join(os.tmpdir(), 'sentinel-bench-storage-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {Promise<unknown>} refused @param {RegExp} message @param {number} exitStatus */
async function isRefused(refused, message, exitStatus) {
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof UserError, String(error));
    assert.match(error.message, message);
    assert.equal(error.exitStatus, exitStatus);
    assert.ok(!error.message.includes(folder), 'no path in it');
    return true;
  });
}

describe('a probe', () => {
  const place = { label: 'tmp', path: folder, emulated: false, how: 'a temporary directory' };

  test('measures free room, the file system and the time of a sync, and leaves nothing', async () => {
    const info = await probeStorage(place, { samples: 30 });
    // A probe ends after a second, if it has twenty: on a slow disk, or a machine that stood still, before all are taken.
    const { samples } = info.fsyncNs;
    assert.ok(samples >= 20 && samples <= 30, `${samples} samples`);
    assert.ok(info.fsyncNs.min > 0 && info.fsyncNs.p50 <= info.fsyncNs.p99 && info.fsyncNs.p99 <= info.fsyncNs.max);
    assert.ok(info.freeBytes > 0);
    assert.equal(JSON.stringify(info).includes(folder), false, 'no path in it');
    assert.deepEqual(
      { ...info, fsyncNs: 0, freeBytes: 0, filesystem: '' },
      {
        label: 'tmp',
        emulated: false,
        how: 'a temporary directory',
        filesystem: '',
        freeBytes: 0,
        fsyncNs: 0,
      },
    );
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('what is wrong with a directory', () => {
  test('it does not exist, or is not a directory', async () => {
    const absent = { label: 'disk', path: join(folder, 'absent') };
    await isRefused(checkStorage(absent, 1), /“disk” cannot be used \(ENOENT\)/, ExitStatus.badInput);
    const file = { label: 'disk', path: join(folder, 'file') };
    writeFileSync(file.path, '');
    await isRefused(checkStorage(file, 1), /“disk” is not a directory/, ExitStatus.badInput);
    rmSync(file.path);
  });
});

describe('memory', () => {
  test('all control groups above a process count, in versions 1 and 2', () => {
    const limits = memoryGroups('4:memory:/a/b\n2:cpu,cpuacct:/c\n0::/d\n', '/sys');
    assert.deepEqual(
      limits.map(({ folder: at, limit }) => `${at} ${limit}`),
      [
        '/sys/memory/a/b memory.limit_in_bytes',
        '/sys/memory/a memory.limit_in_bytes',
        '/sys/memory/ memory.limit_in_bytes',
        '/sys/d memory.max',
        '/sys/ memory.max',
      ],
    );
  });
});
