/** Volumes that a run makes: what each is, that nothing stays when it is closed, and that those of killed processes are found. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { needs, skipFor } from '../../../test/needs.js';
import { filesystemOf, probeStorage } from '../../measure/storage.js';
import { ownTemporaryFolder, startOwner } from '../fixture.js';
import { daemonsIn, linkOf, textOf } from '../hosts/processes.js';
import { listRecords } from '../records/records.js';
import { startReplicatedVolume } from './replicated-volume.js';
import { startSlowVolume, whyNoSlowVolume } from './slow-volume.js';
import { startVolatileDisk, whyModelFails } from './volatile-disk.js';
import { loopDevices, mountsIn, recoverVolumes } from './volume.js';

/** @import { SpawnSyncOptions } from 'node:child_process' */

const folder = await ownTemporaryFolder();

const DELAY_MS = 5;
const SLOW = { writeDelayMs: DELAY_MS, bytes: 4 * 2 ** 30 };

const noSlow = skipFor(await whyNoSlowVolume());
const noReplicated = await needs('replicated volume');
const noVolatile = await needs('volatile disk');

const VOLUMES = [
  {
    noun: 'slow volume',
    skip: noSlow,
    module: './slow-volume.js',
    start: `startSlowVolume(${JSON.stringify(SLOW)})`,
    whyNot: 'whyNoSlowVolume',
    install: /^There is no emulated slow volume: .*nbdkit and nbdfuse.* on PATH, so install .*apt install/,
    // A daemon that died, too, must not keep the rest.
    daemon: 'nbdkit',
  },
  {
    noun: 'GlusterFS volume',
    skip: noReplicated,
    module: './replicated-volume.js',
    start: 'startReplicatedVolume()',
    whyNot: 'whyNoReplicatedVolume',
    // The administrator's programs are found without PATH.
    install: /^There is no replicated volume: .*nsenter.* on PATH, so install .*apt install glusterfs-server/,
    daemon: 'glusterfs',
  },
  {
    noun: 'disk with a volatile cache',
    skip: noVolatile,
    module: './volatile-disk.js',
    start: 'startVolatileDisk()',
    whyNot: 'whyNoVolatileDisk',
    install: /^No power loss can be emulated: .*nbdkit and nbdfuse.* on PATH, so install .*apt install/,
    daemon: 'nbdfuse',
  },
];

/** @param {string} volume where it is mounted @param {string} daemon its program */
const pidOf = (volume, daemon) =>
  daemonsIn([dirname(volume)]).find((pid) => textOf(`/proc/${pid}/comm`).trim() === daemon) ?? 0;

/** @param {string} volume @returns {string | null} the network namespace of its servers */
const namespaceOf = (volume) => linkOf(`/proc/${pidOf(volume, 'unshare')}/ns/net`);

/** @param {string | null} [namespace] of the servers of a volume @returns {string[]} processes of volumes of this test */
function running(namespace = null) {
  return readdirSync('/proc').filter((pid) => {
    const isThere = linkOf(`/proc/${pid}/cwd`)?.startsWith(`${folder}/`);
    return isThere || (namespace !== null && linkOf(`/proc/${pid}/ns/net`) === namespace);
  });
}

/** @param {string | null} [namespace] of the servers of a volume */
function assertNothingLeft(namespace) {
  assert.deepEqual(mountsIn(folder), []);
  assert.deepEqual(loopDevices(folder), []);
  assert.deepEqual(listRecords('volumes'), []);
  assert.deepEqual(running(namespace), []);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name !== 'state'),
    [],
  );
}

/** @param {string} script @param {SpawnSyncOptions} less than this process has @returns {string} */
const saidBy = (script, less) =>
  String(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: '/', ...less })).trim();

for (const { noun, skip, module, start, whyNot, install, daemon } of VOLUMES) {
  const url = JSON.stringify(new URL(module, import.meta.url).href);
  const asking = `import { ${whyNot} } from ${url}; console.log(await ${whyNot}());`;

  test(`${noun}: without root the message says so`, () => {
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    assert.match(saidBy(asking, nobody), /: .*(root.+sudo|needs Linux).*\.$/);
  });

  test(`${noun}: missing programs are named, with how to install them`, { skip }, () => {
    assert.match(saidBy(asking, { env: { ...process.env, PATH: '/nowhere' } }), install);
  });

  for (const dead of ['nothing', daemon]) {
    test(`a ${noun} of a killed process (beside it ${dead} died) is found and taken down`, { skip }, async () => {
      const script = `import * as module from ${url};
        const { path } = await module.${start};
        console.log(path);`;
      const { pid, line: path, kill } = await startOwner(script, /^\//);
      await kill();
      assert.deepEqual(mountsIn(path), [path], 'it is still there');
      const namespace = namespaceOf(path);
      if (dead !== 'nothing') process.kill(pidOf(path, daemon), 'SIGKILL');
      /** @type {string[]} */
      const messages = [];
      await recoverVolumes((line) => messages.push(line));
      assert.deepEqual(messages, [`Removed the ${noun} that process ${pid} left.`]);
      assertNothingLeft(namespace);
    });
  }
}

test('a slow volume makes each sync wait for its writes, and nothing of it stays', { skip: noSlow }, async () => {
  const volume = await startSlowVolume(SLOW);
  try {
    const storage = { label: 'slow', path: volume.path, emulated: true, how: volume.how };
    const { fsyncNs, filesystem, freeBytes } = await probeStorage(storage, { samples: 20 });
    assert.equal(filesystem, 'ext4');
    assert.ok(freeBytes > SLOW.bytes / 2, `${freeBytes}`);
    assert.ok(fsyncNs.min >= DELAY_MS * 1e6, `a sync took ${fsyncNs.min / 1e6} ms`);
    // A busy machine makes most of them longer.
    assert.ok(fsyncNs.min < 20 * DELAY_MS * 1e6, `each of them took ${fsyncNs.min / 1e6} ms`);
    assert.ok(!volume.how.includes('/'), 'no path in it');
    // It need not be empty.
    writeFileSync(join(volume.path, 'left'), Buffer.alloc(2 ** 24, 1));
    await recoverVolumes();
    assert.equal(readFileSync(join(volume.path, 'left')).length, 2 ** 24, 'a living process keeps its volume');
  } finally {
    await volume.close();
    await volume.close();
  }
  assertNothingLeft();
});

test('a replicated volume stores each file on every brick, and nothing of it stays', {
  skip: noReplicated,
}, async () => {
  const volume = await startReplicatedVolume();
  const namespace = namespaceOf(volume.path);
  try {
    assert.equal(filesystemOf(volume.path), 'fuse.glusterfs');
    assert.ok(!volume.how.includes('/'), 'no path in it');
    writeFileSync(join(volume.path, 'file'), 'content', { flush: true });
    const bricks = readdirSync(dirname(volume.path)).filter((name) => name.startsWith('brick-'));
    assert.deepEqual(
      bricks.map((brick) => readFileSync(join(dirname(volume.path), brick, 'file'), 'utf8')),
      ['content', 'content', 'content'],
    );
    assert.ok(!readFileSync('/proc/mounts', 'utf8').includes('/var/lib/glusterd'), 'glusterd has its own state');
  } finally {
    await volume.close();
  }
  assertNothingLeft(namespace);
});

describe('a disk whose power can be cut', { skip: noVolatile }, () => {
  test('a synced block survives, an unsynced one does not; wrong models are noticed', async () => {
    assert.equal(await whyModelFails(), null);
    for (const [cache, problem] of /** @type {const} */ ([
      ['unsafe', /failed its self-test: .*lost/],
      ['writethrough', /failed its self-test: a block that was never synced survived\. Update nbdkit/],
    ])) {
      const reason = await whyModelFails({ start: (options) => startVolatileDisk({ ...options, cache }) });
      assert.match(String(reason), problem);
    }
    assertNothingLeft();
  });

  test('it loses what was not synced at each power cut, and leaves nothing when closed', async () => {
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
    }
    assertNothingLeft();
  });
});
