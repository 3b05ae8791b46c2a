import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ExitStatus, UserError } from '../errors.js';
import { availableMemory, cgroups, checkMemory, leftIn } from './memory.js';
import { checkStorage, filesystemOf, probeStorage } from './storage.js';

const folder = mkdtempSync(join(os.tmpdir(), 'sentinel-bench-storage-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const CAN_MOUNT = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * @param {string} options of a file system in memory
 * @param {(path: string) => Promise<void>} body
 */
async function withMount(options, body) {
  const path = mkdtempSync(join(folder, 'mount with space '));
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]);
  try {
    await body(path);
  } finally {
    execFileSync('umount', [path]);
  }
}

/**
 * @param {Promise<unknown>} refused
 * @param {RegExp} message
 * @param {number} exitStatus
 */
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

  test('an interruption leaves nothing', async () => {
    await assert.rejects(probeStorage(place, { signal: AbortSignal.abort(new Error('enough')) }), /^Error: enough$/);
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

  test('it is read-only, for root too', async () => {
    if (CAN_MOUNT) {
      await withMount('ro', async (path) => {
        await isRefused(checkStorage({ label: 'disk', path }, 1), /is not writable \(EROFS\)/, ExitStatus.badInput);
        assert.equal(filesystemOf(path), 'tmpfs');
      });
    } else {
      const path = join(folder, 'closed');
      mkdirSync(path);
      chmodSync(path, 0o500);
      await isRefused(checkStorage({ label: 'disk', path }, 1), /is not writable \(EACCES\)/, ExitStatus.badInput);
    }
  });

  test('it has too little room', async () => {
    const place = { label: 'disk', path: folder };
    const free = await checkStorage(place, 1);
    await isRefused(
      checkStorage(place, free * 2 + 2 ** 40),
      /^Storage “disk” has too little room: \d+ GiB are needed, \d+ (KiB|MiB|GiB) are free\.$/,
      ExitStatus.environment,
    );
    if (!CAN_MOUNT) return;
    await withMount('size=1m', async (path) => {
      writeFileSync(join(path, 'everything'), Buffer.alloc(2 ** 20));
      await isRefused(checkStorage({ label: 'disk', path }, 1), /has too little room/, ExitStatus.environment);
      assert.deepEqual(readdirSync(path), ['everything']);
    });
  });
});

describe('memory', () => {
  test('available memory is positive and at most the total', () => {
    assert.ok(availableMemory() > 0 && availableMemory() <= os.totalmem());
    checkMemory(1, 'a byte');
  });

  test('too much memory is an error that says how to need less', () => {
    assert.throws(
      () => checkMemory(2 ** 50, 'a data set of 10 keys on 3 nodes'),
      (error) => {
        assert.ok(error instanceof UserError);
        assert.match(error.message, /for a data set of 10 keys on 3 nodes: 1048576 GiB are needed, \d+ \wiB are avail/);
        assert.match(error.remedy, /--preload-keys/);
        assert.equal(error.exitStatus, ExitStatus.environment);
        return true;
      },
    );
  });

  test('all control groups above a process count, in versions 1 and 2', () => {
    const limits = cgroups('4:memory:/a/b\n2:cpu,cpuacct:/c\n0::/d\n', '/sys');
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

  test('a control group leaves its limit less the memory that cannot be freed', () => {
    const at = join(folder, 'group');
    mkdirSync(at);
    writeFileSync(join(at, 'memory.max'), '1000\n');
    writeFileSync(join(at, 'memory.current'), '900\n');
    writeFileSync(join(at, 'memory.stat'), 'anon 500\ninactive_file 300\n');
    const [group] = cgroups('0::/group', folder);
    assert.equal(leftIn(group), 400);
    writeFileSync(join(at, 'memory.max'), 'max\n');
    assert.equal(leftIn(group), Number.POSITIVE_INFINITY);
    rmSync(at, { recursive: true });
  });
});
