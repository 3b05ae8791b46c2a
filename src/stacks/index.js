/** Opens stacks: chooses the backend, and uses a stack that is already up. */
import { HOSTS_PATH } from './hosts/local/hosts.js';
import { recoverLocal } from './hosts/local/recover.js';
import { holderOf, InUse, sweepLocks, thisHolder, tryLock, untilFree } from './locks/lock.js';
import { inUseHere, lockNameOf, lockStack } from './locks/stack-lock.js';
import { attachMariadb } from './mariadb/deployed.js';
import { startMariadb } from './mariadb/local/index.js';
import { attachExternal } from './redis/external/index.js';
import { attachLocal, startLocal } from './redis/local/index.js';
import { findServer, INSTALL_SERVER } from './redis/local/server.js';
import { sizeOf } from './redis/topology.js';
import { problem } from './texts.js';
import { recoverVolumes } from './volumes/volume.js';

/** @import { Lock } from './locks/lock.js' */
/** @import { StackLock } from './locks/stack-lock.js' */
/** @import { Stack, StackOptions } from './types.js' */

export { reattach } from './redis/reattach.js';

/** Loaded on demand, because the engine's client takes long to load. */
const docker = () => import('./redis/docker/index.js');

/** When two `up` run at once, the second finds the stack of the first. */
const DOOR = 'up';
const DOOR_NAME = 'The start of a stack that stays';

/**
 * Opens a stack that is ready: the one that is up, else a new one. A stack that was up is locked until it is closed.
 * @param {StackOptions} options @returns {Promise<Stack>}
 * @throws {UserError} no backend is possible, the stack is in use, runs another server than the one named, or does not become ready;
 *   nothing is left behind then
 */
export async function openStack(options) {
  if (options.system === 'mariadb') return openMariadb(options);
  if (options.backend === 'external') return takeOver(await attachExternal(options), options);
  return holding(options.detached ? lockBriefly(options) : waitOutside(options), async () => {
    const up = await attachStack(options);
    return up ? takeOver(up, options) : startStack(options);
  });
}

/** @template T @param {Promise<Lock>} locking @param {() => Promise<T>} work */
async function holding(locking, work) {
  const lock = await locking;
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** @param {StackOptions} options @returns a new one, or what agents started: no stack of MariaDB stays up */
async function openMariadb({ deployed, ...options }) {
  if (deployed) return attachMariadb({ ...options, deployed });
  if (options.hosts) throw problem('no-mariadb-hosts');
  if (options.backend === 'docker') return (await import('./mariadb/docker/index.js')).startMariadbDocker(options);
  if (options.backend !== 'external') return startMariadb(options);
  throw problem('no-mariadb-deployment');
}

/**
 * A stack that is up keeps its server and its size.
 * @param {Stack} up @param {StackOptions} options @returns {Promise<string | null>} the option that the stack does not follow
 */
async function ignoredBy({ about, nodes }, { server, image, replicas, sentinelCount, hosts = false }) {
  const size = sizeOf(nodes.map(({ id }) => id));
  if (replicas !== undefined && replicas !== size.replicas) return '--replicas';
  if (sentinelCount !== undefined && sentinelCount !== size.sentinelCount) return '--sentinels';
  if (hosts && about.path !== HOSTS_PATH) return '--backend hosts';
  if (about.backend === 'docker') return image === undefined ? null : '--image';
  const wanted = server === undefined ? null : await findServer(server);
  const same = wanted === null || (wanted.name === about.server.name && wanted.version === about.server.version);
  return same || about.server.version === null ? null : '--server';
}

/** @param {StackOptions} options @returns the stack that was up; null: none @throws {UserError} it is in use, or does not end */
export function takeDown(options) {
  return holding(lockBriefly(options), async () => {
    const stack = await attachStack(options);
    if (!stack) return null;
    // Rejects: an existing deployment is not taken down.
    if (stack.about.backend === 'external') await stack.down();
    try {
      const lock = await lockStack(stack, { ...options, brief: true });
      await withLock(stack, lock).down();
    } finally {
      await stack.close();
    }
    return stack;
  });
}

/** @param {Stack} up closed again if it cannot be used @param {StackOptions} options @returns locked, and healed if it is a stack of ours */
async function takeOver(up, options) {
  const { detached = false, tell } = options;
  const { backend } = up.about;
  try {
    if (backend !== 'external') {
      const ignored = await ignoredBy(up, options);
      if (ignored !== null) throw problem('option-ignored', { ignored, backend });
      tell?.(`Using the ${backend} stack that is already up.`);
    }
    const lock = await lockStack(up, { ...options, brief: detached });
    try {
      // The run before may have been killed in the middle of a fault.
      if (backend !== 'external') await up.heal();
      await lock.confirm();
    } catch (error) {
      await lock.release();
      throw error;
    }
    return withLock(up, lock);
  } catch (error) {
    if (error instanceof InUse && detached) {
      // `up` needs no more than a running stack. A fault of the run that uses it must not be healed.
      tell?.(error.message);
      return up;
    }
    await up.close();
    throw error;
  }
}

/** @param {Stack} stack @param {StackLock} lock @returns {Stack} releases the lock when it is closed */
function withLock(stack, lock) {
  return {
    ...stack,
    async close() {
      await lock.release();
      await stack.close();
    },
    async down() {
      await lock.leaveKey();
      try {
        await stack.down();
      } finally {
        await lock.release();
      }
    },
  };
}

/** @param {StackOptions} options @param {string} [name] of a lock @param {string} [what] the beginning of a sentence @returns {Promise<Lock>} */
function lockBriefly(options, name = DOOR, what = DOOR_NAME) {
  const holder = thisHolder({ ...options, brief: true });
  return untilFree(() => tryLock(name, holder), { ...options, refuse: ({ heldBy }) => inUseHere(what, heldBy) });
}

/** Takes no lock: stacks of runs may start at the same time. @param {StackOptions} options @returns {Promise<Lock>} without effect */
function waitOutside(options) {
  const free = () => holderOf(DOOR) ?? { release() {} };
  return untilFree(free, { ...options, refuse: ({ heldBy }) => inUseHere(DOOR_NAME, heldBy) });
}

/**
 * Starts a new stack beside those that are up. Several can be started at the same time.
 * @param {StackOptions} how @throws {UserError} it does not become ready; nothing is left behind then
 */
export async function startStack(how) {
  if (how.system === 'mariadb') return openMariadb(how);
  const { backend, why } = await chooseBackend(how);
  const options = { ...how, why };
  if (backend === 'local') return startLocal(options);
  const { startDocker } = await docker();
  if (!options.detached) return startDocker(options);
  // The rest of an old stack of this name is removed, unless a run is using it.
  const { sharedProject } = await import('./hosts/docker/project.js');
  const name = lockNameOf({ backend, identity: sharedProject() });
  return holding(lockBriefly(options, name, 'The docker stack'), () => startDocker(options));
}

/** Finds the running stack, which may be unhealthy. @param {StackOptions} options @returns null: no stack runs */
export async function attachStack(options) {
  if (options.backend === 'external') return attachExternal(options);
  const local = options.backend === 'docker' ? null : await attachLocal(options);
  return local ?? (options.backend === 'local' ? null : (await docker()).attachDocker());
}

/** Removes what dead processes left, but nothing that `up` started. @param {(line: string) => void} [tell] @throws {UserError} a part is left */
export async function recover(tell) {
  // A folder that cannot be trusted must not prevent the removal of containers.
  const [local] = await Promise.allSettled([recoverLocal(tell)]);
  await (await import('./hosts/docker/project.js')).recoverDocker(tell);
  if (local.status === 'rejected') throw local.reason;
  // Last, because the nodes may have kept their files there.
  await recoverVolumes(tell);
  sweepLocks();
}

/** @param {StackOptions & Required<Pick<StackOptions, 'deployed'>>} options @returns not locked: nobody else knows its password */
export function attachDeployed(options) {
  return options.system === 'mariadb' ? attachMariadb(options) : attachExternal(options);
}

/** @param {StackOptions} options @returns {Promise<{backend: 'docker' | 'local', why: string}>} */
async function chooseBackend(options) {
  const { backend } = options;
  if (backend === 'local' || backend === 'docker') return { backend, why: `The ${backend} backend was requested.` };
  const engine = await (await docker()).dockerAvailable(options);
  if (engine.ok) return { backend: 'docker', why: engine.reason };
  if (await findServer(options.server)) return { backend: 'local', why: `Docker cannot be used: ${engine.reason}` };
  throw problem('nothing-to-start', { install: INSTALL_SERVER, reason: engine.reason.replace(/\.$/, '') });
}
