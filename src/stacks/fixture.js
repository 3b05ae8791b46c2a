import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { makePrivateFolder, ownUid, temporaryFolder } from '../private-files.js';
import { waitFor } from '../wait.js';
import { startTimeOf } from './processes.js';
import { listRecords } from './records.js';
import { listStacks, removeStack } from './redis/local/record.js';
import { NODES } from './redis/topology.js';
import { takeApart } from './volume.js';

/**
 * @import { Snapshot } from './redis/observe.js'
 * @import { ContainerInspectInfo } from 'dockerode'
 */

/**
 * @param {string} what for the error
 * @param {() => unknown} condition polled until it is true
 * @param {number} [deadlineMs]
 */
export async function eventually(what, condition, deadlineMs = 60_000) {
  assert.ok(await waitFor(condition, { deadlineMs }), `${what}: not within ${deadlineMs / 1000} s`);
}

/**
 * A temporary folder for this test process alone, removed at its end, so that its stacks do not meet others on this machine. First
 * removes what killed test processes left.
 *
 * @returns {Promise<string>} absolute, without symbolic links
 */
export async function ownTemporaryFolder() {
  const base = join(temporaryFolder(), `sentinel-bench-tests-${ownUid()}`);
  makePrivateFolder(base, 'TMPDIR');
  for (const name of readdirSync(base)) {
    if (startTimeOf(Number.parseInt(name, 10)) === null) await removeTemporaryFolder(join(base, name));
  }
  const folder = mkdtempSync(join(base, `${process.pid}-`));
  process.env.TMPDIR = folder;
  process.env.XDG_STATE_HOME = stateIn(folder);
  // A failed test may have left a stack. Its processes must not outlive the folder that names them.
  after(() => removeTemporaryFolder(folder));
  return folder;
}

/** @param {string} folder */
function stateIn(folder) {
  return join(folder, 'state');
}

/** @param {string} folder */
async function removeTemporaryFolder(folder) {
  // Folders of processes that a test started: their servers must not outlive a failed test, either.
  for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
    if (entry.isDirectory() && entry.name.startsWith('tmp-')) await removeTemporaryFolder(join(folder, entry.name));
  }
  process.env.TMPDIR = folder;
  process.env.XDG_STATE_HOME = stateIn(folder);
  for (const stack of listStacks()) await removeStack(stack);
  for (const volume of listRecords('volumes')) await takeApart(volume.folder);
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Takes the usual port of the first node whose port is free. A process that has one may release it at any moment.
 *
 * @returns {Promise<{id: string, port: number, ours: boolean, close: () => void}>} not ours: other processes have all of them
 */
export async function takeUsualPort() {
  for (const { id, port } of NODES) {
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
      return { id, port, ours: true, close: () => server.close() };
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EADDRINUSE') throw error;
    }
  }
  const [{ id, port }] = NODES;
  return { id, port, ours: false, close() {} };
}

/**
 * Checks that a container of docker-compose.yml has only the rights it needs.
 *
 * @param {ContainerInspectInfo} container
 * @param {string} user
 */
export function assertConfined({ Name: name, Config, HostConfig }, user) {
  assert.equal(Config.User, user, name);
  assert.deepEqual(HostConfig.CapDrop, ['ALL'], name);
  assert.ok(!HostConfig.CapAdd?.length, name);
  assert.deepEqual(HostConfig.SecurityOpt, ['no-new-privileges:true'], name);
  assert.equal(HostConfig.ReadonlyRootfs, true, name);
  assert.equal(HostConfig.Privileged, false, name);
  const bindings = Object.values(/** @type {Record<string, {HostIp: string}[]>} */ (HostConfig.PortBindings ?? {}));
  for (const { HostIp } of bindings.flat()) assert.equal(HostIp, '127.0.0.1', name);
}

/**
 * A healthy stack's snapshot, for tests of what is computed from one.
 *
 * @returns {Snapshot} redis-1 is the primary
 */
export function readySnapshot() {
  /** @param {number} port */
  const at = (port) => ({ host: '127.0.0.1', port });
  /** @param {number} index */
  const replica = (index) => ({
    id: `redis-${index + 1}`,
    announced: at(6379 + index),
    error: null,
    role: /** @type {const} */ ('replica'),
    follows: at(6379),
    linkUp: true,
    offset: 1200,
    lagBytes: 0,
    lagSeconds: 0,
    online: true,
    goodReplicas: null,
  });
  return {
    masterName: 'mymaster',
    primary: 'redis-1',
    redis: [
      {
        ...replica(0),
        role: 'primary',
        follows: null,
        linkUp: false,
        lagBytes: null,
        lagSeconds: null,
        online: false,
        goodReplicas: null,
      },
      replica(1),
      replica(2),
    ],
    sentinels: [0, 1, 2].map((index) => ({
      id: `sentinel-${index + 1}`,
      announced: at(26379 + index),
      error: null,
      primary: at(6379),
      flags: ['master'],
      replicas: [6380, 6381].map((port) => ({ address: at(port), flags: ['slave'], heard: true })),
      otherSentinels: 2,
      tilt: false,
      quorum: { ok: true, text: 'OK 3 usable Sentinels. Quorum and failover authorization can be reached' },
    })),
  };
}
