import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { promisify } from 'node:util';
import { UserError } from '../../../errors.js';
import { programPath } from '../../../programs.js';
import { executableOf } from '../../processes.js';

const execute = promisify(execFile);

/** Tried in this order when none is named. */
const SERVERS = ['redis-server', 'valkey-server'];

/** How to get one, as the beginning of a sentence. */
export const INSTALL_SERVER =
  'Install one (Debian: `apt install redis-server`; Fedora: `dnf install valkey`; Alpine: `apk add redis`; macOS: `brew install redis`)';

/** The oldest that announces what this tool reads: `SENTINEL REPLICAS`, `INFO`'s fields of replicas. */
const OLDEST = [6, 2];

/**
 * The server program that a local stack runs.
 *
 * @param {string} [wanted] a name on PATH or a path; default: the environment's `SENTINEL_BENCH_SERVER`, else the first of
 *   redis-server and valkey-server that is there
 * @returns {Promise<{path: string, name: string, version: string} | null>} path: absolute; null: none was named and none is there
 * @throws {UserError} the one named is missing, not executable, no such server, or too old
 */
export async function findServer(wanted = process.env.SENTINEL_BENCH_SERVER) {
  if (wanted) return inspect(wanted);
  for (const path of SERVERS) {
    try {
      return await inspect(path);
    } catch (error) {
      if (!(error instanceof UserError && isMissing(error.cause))) throw error;
    }
  }
  return null;
}

/**
 * The program to start a node of a stack with that another process started. A record names it, but is not believed: either a
 * node of the stack runs that very program, or this process finds the same server by itself.
 *
 * @param {{path: string, name: string, version: string}} recorded
 * @param {readonly number[]} running processes that are verifiably nodes of the stack
 * @param {string} [wanted] as for {@link findServer}
 * @returns {Promise<string>} an absolute path
 * @throws {UserError} neither is so
 */
export async function programFor(recorded, running, wanted) {
  const program = isAbsolute(recorded.path) ? realPath(recorded.path) : null;
  if (program !== null && running.some((pid) => executableOf(pid) === program)) return recorded.path;
  const found = await findServer(wanted);
  if (found && found.name === recorded.name && found.version === recorded.version) return found.path;
  throw new UserError(
    `No node of this stack can be started: ${recorded.path}, which its record names, is not known to be its server program.`,
    'Name that program in SENTINEL_BENCH_SERVER if you trust it, or take the stack down with `sentinel-bench down`.',
  );
}

/** @param {string} path */
function realPath(path) {
  try {
    return realpathSync(path);
  } catch {
    // It is gone, or this user may not see it: no process is known to run it.
    return null;
  }
}

/** @param {unknown} error */
function isMissing(error) {
  return /** @type {NodeJS.ErrnoException | undefined} */ (error)?.code === 'ENOENT';
}

/** @param {string} path */
async function inspect(path) {
  const output = await versionText(path);
  // Valkey 7.2 gives no name.
  const match = /^(Redis |Valkey )?[Ss]erver v=(\d+)\.(\d+)\.(\d+)/m.exec(output);
  if (!match) {
    throw new UserError(
      `${path} is neither a Redis nor a Valkey server: it answers --version with “${output.trim().slice(0, 80)}”.`,
      'Name a redis-server or a valkey-server.',
    );
  }
  const name = match[1] === 'Redis ' ? 'redis' : 'valkey';
  const [major, minor, patch] = match.slice(2).map(Number);
  const version = `${major}.${minor}.${patch}`;
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new UserError(
      `${path} is Redis ${version}, which is too old.`,
      `Use Redis ${OLDEST.join('.')} or later, or Valkey.`,
    );
  }
  // Nodes work in folders of their own, and PATH may be another when one is started again.
  return { path: resolve(path.includes('/') ? path : (programPath(path) ?? path)), name, version };
}

/** @param {string} path */
async function versionText(path) {
  try {
    return (await execute(path, ['--version'], { timeout: 20_000 })).stdout;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    const [what, remedy] =
      code === 'ENOENT'
        ? ['was not found', 'Install it, put it on PATH, or name another with --server.']
        : code === 'EACCES'
          ? ['is not executable', 'Make it executable, or name another with --server.']
          : ['does not run', 'Run it with --version to see why, or name another with --server.'];
    throw new UserError(`The server program ${path} ${what}.`, remedy, undefined, { cause: error });
  }
}

/**
 * @param {{name: string, version: string}} server
 * @returns {boolean} whoever connects may choose the file that it writes its snapshot to, and load modules (before Redis 7)
 */
export function isOpenToOthers({ name, version }) {
  return name === 'redis' && Number.parseInt(version, 10) < 7;
}
