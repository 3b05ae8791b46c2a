/**
 * What tests need beside Node: declared here, once. A test that lacks something is skipped with the reason; where
 * SENTINEL_BENCH_NO_SKIP=1 is set (CI), lacking it is an error.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../src/errors.js';
import { programPath } from '../src/programs.js';
import { chooseImage, openEngine } from '../src/stacks/hosts/docker/engine.js';
import { HAS_PROC, whyNoMemoryLimit } from '../src/stacks/hosts/processes.js';
import { MARIADB_IMAGES } from '../src/stacks/mariadb/docker/index.js';
import { findMariadb } from '../src/stacks/mariadb/local/server.js';
import { whyNoFirewall } from '../src/stacks/network/firewall.js';
import { whyNoNamespaces } from '../src/stacks/network/namespaces.js';
import { whyNoQueues } from '../src/stacks/network/queues.js';
import { CAN_RELAY } from '../src/stacks/network/relay/relay.js';
import { dockerAvailable } from '../src/stacks/redis/docker/index.js';
import { findServer } from '../src/stacks/redis/local/server.js';
import { whyNoReplicatedVolume } from '../src/stacks/volumes/replicated-volume.js';
import { whyNoVolatileDisk } from '../src/stacks/volumes/volatile-disk.js';

/** Of `s/build-image.sh`. */
export const REDIS_IMAGE = 'sentinel-bench/redis:local';
export const VALKEY_IMAGE = 'sentinel-bench/valkey:local';

/** The uid of a user without rights. */
const NOBODY = 65534;
/** Before a test has one of its own, which only its user may enter. */
const TEMPORARY = tmpdir();

/** @type {Record<string, () => string | null | Promise<string | null>>} why it is missing here; null: it is there */
const NEEDS = {
  server: () => serverMissing(undefined, 'there is no redis-server or valkey-server'),
  'redis-server': () => serverMissing('redis-server', 'there is no redis-server'),
  'valkey-server': () => serverMissing('valkey-server', 'there is no valkey-server'),
  mariadb: async () => ((await findMariadb()) === null ? 'there is no mariadbd with mariadb-install-db' : null),
  'mariadb image': () => whyNoMariadbImage(),
  docker: async () => {
    const { ok, reason } = await dockerAvailable();
    return ok ? null : reason;
  },
  'both images': () => whyNoImages(REDIS_IMAGE, VALKEY_IMAGE),
  ipv6: () =>
    Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
      ? null
      : 'loopback has no IPv6 address',
  relay: () => (CAN_RELAY ? null : 'loopback has one address here'),
  firewall: () => whyNoFirewall(),
  namespaces: () => whyNoNamespaces(),
  'narrow links': () => whyNoQueues('narrow'),
  'bridge firewall': () => whyNoFirewall('bridge'),
  proc: () => (HAS_PROC ? null : 'there is no /proc'),
  root: () => (process.getuid?.() === 0 ? null : 'needs root'),
  'another user': () => whyNotAnotherUser(),
  'small disk': () => whyNoSmallDisk(),
  'volatile disk': () => whyNoVolatileDisk(),
  'replicated volume': () => whyNoReplicatedVolume(),
  prlimit: () => whyNoMemoryLimit(),
  ps: () => programMissing('ps'),
  haproxy: () => programMissing('haproxy'),
  busybox: () => programMissing('busybox'),
  'nats-server': () => programMissing('nats-server'),
  libfaketime: () => (findFaketime() === null ? 'there is no libfaketime, which tells a process another time' : null),
  openssl: () => programMissing('openssl'),
  'systemd-analyze': () => programMissing('systemd-analyze'),
  'npm registry': () => whyNoRegistry(),
  'cmark-gfm': () => programMissing('cmark-gfm'),
  'redis-shake': () => programMissing('redis-shake'),
  'kubernetes-validate': () => programMissing('kubernetes-validate'),
  duckdb: () => whyNoDuckdb(),
  'valkey 9': async () =>
    (await findValkey9()) === null
      ? 'there is no Valkey 9; `s/newer-servers.sh DIR forky` fetches one, SENTINEL_BENCH_VALKEY_9 names it'
      : null,
};

/** No package of the Debian that CI runs on has these, so they may be missing where nothing else may be skipped. */
const MAY_BE_MISSING = new Set(['redis-shake', 'valkey 9', 'kubernetes-validate', 'duckdb']);

/** @type {Map<string, Promise<string | null>>} */
const answers = new Map();

/**
 * @param {...string} names of what a test needs
 * @returns {Promise<string | false>} for node:test's `skip`: why the test cannot run here, or false
 * @throws {Error} where nothing may be skipped
 */
export async function needs(...names) {
  for (const name of names) {
    if (!Object.hasOwn(NEEDS, name)) throw new Error(`test/needs.js does not know ${name}`);
    const answer = answers.get(name) ?? Promise.resolve(NEEDS[name]());
    answers.set(name, answer);
    const missing = await answer;
    const reason = MAY_BE_MISSING.has(name) ? (missing ?? false) : skipFor(missing);
    if (reason) return reason;
  }
  return false;
}

/**
 * @param {string | null | undefined | false} reason that the program under test gives for not working here
 * @returns {string | false} for node:test's `skip`
 * @throws {Error} where nothing may be skipped
 */
export function skipFor(reason) {
  if (!reason) return false;
  if (process.env.SENTINEL_BENCH_NO_SKIP === '1')
    throw new Error(`This may not be skipped, and cannot run here: ${reason}`);
  return reason;
}

/** @returns {Promise<string | null>} a Valkey of version 9 or later: the one that SENTINEL_BENCH_VALKEY_9 names, else that on PATH */
export async function findValkey9() {
  const found = await findServer(process.env.SENTINEL_BENCH_VALKEY_9 || 'valkey-server').catch(() => null);
  return found?.name === 'valkey' && Number.parseInt(found.version, 10) >= 9 ? found.path : null;
}

/** @returns {string | null} libfaketime for programs with threads, as Debian has it: to be loaded before a program; null: it is not there */
export function findFaketime() {
  if (process.platform !== 'linux') return null;
  const [file] = readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'))
    .filter(existsSync);
  return file ?? null;
}

/** @param {string | undefined} name @param {string} reason */
async function serverMissing(name, reason) {
  return findServer(name).then(
    (found) => (found === null ? reason : null),
    () => reason,
  );
}

async function whyNoMariadbImage() {
  try {
    await chooseImage(await openEngine(), process.env.SENTINEL_BENCH_MARIADB_IMAGE, MARIADB_IMAGES);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** @param {...string} images of Redis and Valkey; none is pulled */
async function whyNoImages(...images) {
  try {
    const engine = await openEngine();
    for (const image of images) await engine.getImage(image).inspect();
    return null;
  } catch {
    return `Docker does not hold ${images.join(' and ')}; \`./s/build-image.sh\` builds them`;
  }
}

/** @param {string} name */
function programMissing(name) {
  return programPath(name) === null ? `there is no ${name} on PATH` : null;
}

/** @returns {string} the Python that has DuckDB: the one that SENTINEL_BENCH_DUCKDB_PYTHON names, else the one on PATH */
export function duckdbPython() {
  return process.env.SENTINEL_BENCH_DUCKDB_PYTHON || 'python3';
}

function whyNoDuckdb() {
  try {
    execFileSync(duckdbPython(), ['-c', 'import duckdb'], { stdio: 'pipe' });
    return null;
  } catch {
    return 'there is no Python with DuckDB; `pip install duckdb` in a venv, and SENTINEL_BENCH_DUCKDB_PYTHON names its python';
  }
}

/** Tests act as another user, who has to be able to reach the folder for temporary files and this program. */
function whyNotAnotherUser() {
  if (process.getuid?.() !== 0) return 'only root can act as another user';
  try {
    const script = 'test -x "$1" && test -r "$2" && exec "$3" --version';
    const args = [TEMPORARY, fileURLToPath(new URL('../package.json', import.meta.url)), process.execPath];
    execFileSync('sh', ['-c', script, 'sh', ...args], { uid: NOBODY, gid: NOBODY, stdio: 'pipe', cwd: '/' });
    return null;
  } catch {
    return 'other users cannot reach the folder for temporary files, or this program';
  }
}

/** The package that tests install needs others. */
function whyNoRegistry() {
  if (programPath('npm') === null) return 'there is no npm on PATH';
  try {
    execFileSync('npm', ['view', 'commander', 'version', '--fetch-retries', '0', '--fetch-timeout', '20000'], {
      stdio: 'pipe',
    });
    return null;
  } catch {
    return 'npm reaches no package registry';
  }
}

/** Root in a container often may not mount. */
function whyNoSmallDisk() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount a small disk';
  const folder = mkdtempSync(join(TEMPORARY, 'sentinel-bench-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'pipe' });
    execFileSync('umount', [folder]);
    return null;
  } catch {
    return 'nothing can be mounted here';
  } finally {
    rmSync(folder, { recursive: true });
  }
}
