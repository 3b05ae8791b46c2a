import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makePrivateFolder, ownUid, temporaryFolder } from '../private-files.js';
import { waitFor } from '../wait.js';
import { signalProcess } from './hosts/daemons.js';
import { openEngine } from './hosts/docker/engine.js';
import { listStacks, removeStack } from './hosts/local/record.js';
import { hasEnded, startTimeOf } from './hosts/processes.js';
import { listRecords } from './records/records.js';
import { NODES } from './redis/topology.js';
import { takeApart } from './volumes/volume.js';

/**
 * @import { Snapshot } from './redis/observe.js'
 * @import { ContainerInspectInfo } from 'dockerode'
 */

/** A test that fails ends soon. Several times what any condition takes on a machine that is not busy. */
const DEADLINE_MS = 25_000;
const TICK_MS = 100;
/** A Sentinel that did not run for 2 s is in TILT for 30 s. When this process did not run for so long, neither did they, perhaps. */
const STALL_MS = 1500;
const TILT_MS = 35_000;
const EXIT_DEADLINE_MS = 10_000;
const GUARD_DEADLINE_MS = 10_000;
const MOUNTS = '/proc/self/mounts';

/**
 * @param {string} what for the error
 * @param {() => unknown} condition polled until it is true
 * @param {number} [deadlineMs] as for {@link holdsInTime}
 */
export async function eventually(what, condition, deadlineMs = DEADLINE_MS) {
  assert.ok(await holdsInTime(condition, deadlineMs), `${what}: not within ${deadlineMs / 1000} s`);
}

/**
 * As `waitFor`, but it counts only the time in which this process runs, so a busy machine gets longer. After a stall in which Sentinels
 * may have gone into TILT, there is time for them to come back.
 *
 * @template T
 * @param {() => T | Promise<T>} condition polled until it is true
 * @param {number} [deadlineMs] default: 25 s
 * @returns {Promise<T>} the last answer: truthy if the condition held in time
 */
export async function holdsInTime(condition, deadlineMs = DEADLINE_MS) {
  let leftMs = deadlineMs;
  let last = performance.now();
  const timer = setInterval(() => {
    const passed = performance.now() - last;
    last += passed;
    leftMs -= Math.min(passed, 2 * TICK_MS);
    if (passed > STALL_MS) leftMs = Math.max(leftMs, TILT_MS);
  }, TICK_MS);
  try {
    const ended = await waitFor(
      async () => {
        const answer = await condition();
        return (answer || leftMs <= 0) && { answer };
      },
      { deadlineMs: Number.POSITIVE_INFINITY },
    );
    return /** @type {{answer: T}} */ (ended).answer;
  } finally {
    clearInterval(timer);
  }
}

/**
 * A temporary folder for this test process alone, removed at its end, so that its stacks do not meet others on this machine. If this
 * process is killed, a guard removes the folder. First removes what killed test processes left, in case their guards were killed, too.
 *
 * Between the tests of the file nothing may be awaited: if those before it were skipped, the runner takes the file for ended, and removes the
 * folder. So what decides about skipping is asked before the first test.
 *
 * @returns {Promise<string>} absolute, without symbolic links
 */
export async function ownTemporaryFolder() {
  const base = join(temporaryFolder(), `sentinel-bench-tests-${ownUid()}`);
  makePrivateFolder(base, 'TMPDIR');
  for (const name of readdirSync(base)) {
    if (startTimeOf(Number.parseInt(name, 10)) !== null) continue;
    // Its guard may be at it.
    const isGone = () => !existsSync(join(base, name));
    if (await waitFor(isGone, { deadlineMs: GUARD_DEADLINE_MS })) continue;
    await removeTemporaryFolder(join(base, name)).catch((error) => {
      // Another test process may have removed it meanwhile.
      if (!isGone()) throw error;
    });
  }
  const folder = mkdtempSync(join(base, `${process.pid}-`));
  startGuard(folder);
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

/**
 * Its standard input ends when this process does, however that happens.
 *
 * @param {string} folder
 */
function startGuard(folder) {
  const guard = fileURLToPath(new URL('./guard-fixture.js', import.meta.url));
  const child = spawn(process.execPath, [guard, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  /** @type {import('node:net').Socket} */ (child.stdin).unref();
}

/**
 * Ends every process that a test process started, and removes its folder.
 *
 * @param {string} folder of a test process
 */
export async function removeTemporaryFolder(folder) {
  await endProcessesOf(folder);
  await removeWhatStaysIn(folder);
}

/**
 * The command line that a killed test ran would start further servers.
 *
 * @param {string} folder
 */
async function endProcessesOf(folder) {
  /** @type {Map<number, string | null>} */
  const ending = new Map();
  const gone = () => {
    // Asked each time: a process may have started another one just before its end.
    for (const pid of processesOf(folder)) {
      if (!ending.has(pid)) ending.set(pid, startTimeOf(pid));
      signalProcess(pid, 'SIGKILL');
    }
    return [...ending].every(([pid, startTime]) => hasEnded(pid, startTime));
  };
  await waitFor(gone, { deadlineMs: EXIT_DEADLINE_MS });
}

/**
 * @param {string} folder
 * @returns {number[]} the other processes that were started with this folder, or one in it, as TMPDIR; empty without /proc
 */
function processesOf(folder) {
  const pids = existsSync('/proc/self/environ') ? readdirSync('/proc').map(Number) : [];
  return pids.filter((pid) => pid > 0 && pid !== process.pid && isFolderOf(pid, folder));
}

/**
 * @param {number} pid
 * @param {string} folder
 */
function isFolderOf(pid, folder) {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return variables.some((each) => each === `TMPDIR=${folder}` || each.startsWith(`TMPDIR=${folder}/`));
  } catch {
    // It has ended, or belongs to another user.
    return false;
  }
}

/** @param {string} folder */
async function removeWhatStaysIn(folder) {
  // Folders of processes that a test started: their servers must not outlive a failed test, either.
  for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
    if (entry.isDirectory() && entry.name.startsWith('tmp-')) await removeWhatStaysIn(join(folder, entry.name));
  }
  process.env.TMPDIR = folder;
  process.env.XDG_STATE_HOME = stateIn(folder);
  for (const stack of listStacks()) await removeStack(stack);
  for (const volume of listRecords('volumes')) await takeApart(volume.folder);
  unmountBelow(folder);
  rmSync(folder, { recursive: true, force: true });
}

/**
 * A killed test leaves its small disk mounted, and no later test could remove the folder.
 *
 * @param {string} folder
 */
function unmountBelow(folder) {
  if (!existsSync(MOUNTS)) return;
  const places = readFileSync(MOUNTS, 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const place of places) if (place.startsWith(`${folder}/`)) execFileSync('umount', ['--lazy', place]);
}

/**
 * A process that runs a module, and stays as long as this one does.
 *
 * @param {string} code of the module
 * @param {RegExp} awaited a line that it prints
 * @returns {Promise<{pid: number, line: string, kill: () => Promise<void>}>} line: the one that was awaited
 */
export async function startOwner(code, awaited) {
  const module = `${code}\nprocess.stdin.on('end', () => process.exit()).resume();`;
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', module], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(owner, 'exit');
  for await (const line of createInterface({ input: owner.stdout })) {
    if (!awaited.test(line)) continue;
    return {
      pid: Number(owner.pid),
      line,
      async kill() {
        owner.kill('SIGKILL');
        await ended;
      },
    };
  }
  throw new Error(`the process ended without saying ${awaited}`);
}

/**
 * @param {number} pid
 * @returns {Promise<string[]>} names of the containers, networks and volumes of stacks that this process started
 */
export async function leftOnDocker(pid) {
  const engine = await openEngine();
  const [containers, networks, { Volumes: volumes }] = await Promise.all([
    engine.listContainers({ all: true }),
    engine.listNetworks(),
    engine.listVolumes(),
  ]);
  const names = [
    ...containers.map(({ Names: [name] }) => name.replace(/^\//, '')),
    ...[...networks, ...(volumes ?? [])].map(({ Name }) => Name),
  ];
  return names.filter((name) => name.startsWith(`sentinel-bench-${pid}-`));
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
    priority: 100,
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
        priority: null,
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
