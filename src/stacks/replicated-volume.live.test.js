import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { filesystemOf } from '../measure/storage.js';
import { ownTemporaryFolder } from './fixture.js';
import { listRecords } from './records.js';
import { startReplicatedVolume } from './replicated-volume.js';
import { mountsIn, recoverVolumes } from './volume.js';

/** @import { SpawnSyncOptions } from 'node:child_process' */

const folder = await ownTemporaryFolder();
const skip = await needs('replicated volume');

const MODULE = JSON.stringify(new URL('./replicated-volume.js', import.meta.url).href);

/**
 * @param {SpawnSyncOptions} less than this process has
 * @returns {string} the reason that another process is given
 */
function reasonFor(less) {
  const script = `import { whyNoReplicatedVolume } from ${MODULE}; console.log(await whyNoReplicatedVolume());`;
  return String(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: '/', ...less }));
}

/** @returns {string[]} network namespaces of running processes, other than this one's */
function namespaces() {
  const ownNamespace = readlinkSync('/proc/self/ns/net');
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/ns/net`);
      } catch {
        // It ended meanwhile, or is a zombie.
        return ownNamespace;
      }
    });
  return [...new Set(found)].filter((each) => each !== ownNamespace);
}

/**
 * @param {string} path where the volume is mounted
 * @returns {string} the network namespace of its servers
 */
function namespaceOf(path) {
  const pid = Number.parseInt(readFileSync(join(dirname(path), 'servers.stat'), 'utf8'), 10);
  return readlinkSync(`/proc/${pid}/ns/net`);
}

/** @param {string} namespace of the servers */
function assertNothingLeft(namespace) {
  assert.deepEqual(mountsIn(folder), []);
  assert.ok(!namespaces().includes(namespace), 'a process of the volume still runs');
  assert.deepEqual(listRecords('volumes'), []);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name !== 'state'),
    [],
  );
}

/** Starts a volume in a process that waits, and kills that process. */
async function killedOwner() {
  const script = `import { startReplicatedVolume } from ${MODULE};
    const { path } = await startReplicatedVolume();
    console.log(path);
    process.stdin.on('end', () => process.exit()).resume();`;
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(owner, 'exit');
  let path = '';
  for await (const line of createInterface({ input: owner.stdout })) {
    path = line;
    break;
  }
  owner.kill('SIGKILL');
  await ended;
  return { path, pid: owner.pid };
}

describe('where there can be none', () => {
  test('without root the message says so', () => {
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    assert.match(reasonFor(nobody), /^There is no replicated volume: .*(root.+sudo|needs Linux).*\.$/m);
  });

  test('missing programs are named, with how to install them', { skip }, () => {
    const reason = reasonFor({ env: { ...process.env, PATH: '/nowhere' } });
    // The administrator's programs are found without PATH.
    assert.match(reason, /nsenter.* on PATH, so install .*apt install glusterfs-server/);
  });
});

describe('a replicated volume', { skip }, () => {
  test('stores each file on every brick, and is gone without trace when closed', async () => {
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
      await recoverVolumes();
      assert.equal(readFileSync(join(volume.path, 'file'), 'utf8'), 'content', 'a living process keeps its volume');
      assert.ok(!readFileSync('/proc/mounts', 'utf8').includes('/var/lib/glusterd'), 'glusterd has its own state');
    } finally {
      await volume.close();
      await volume.close();
    }
    assertNothingLeft(namespace);
  });

  for (const dead of ['nothing else', 'client']) {
    test(`of a killed process (${dead} dead) is found and taken down`, async () => {
      const { path, pid } = await killedOwner();
      const namespace = namespaceOf(path);
      assert.deepEqual(mountsIn(path), [path], 'it is still there');
      if (dead === 'client') {
        const client = Number.parseInt(readFileSync(join(dirname(path), 'client.stat'), 'utf8'), 10);
        process.kill(client, 'SIGKILL');
      }
      /** @type {string[]} */
      const messages = [];
      await recoverVolumes((line) => messages.push(line));
      assert.deepEqual(messages, [`Removed the GlusterFS volume that process ${pid} left.`]);
      assertNothingLeft(namespace);
    });
  }
});
