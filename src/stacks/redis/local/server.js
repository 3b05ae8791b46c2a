import { realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { codeOf, UserError } from '../../../errors.js';
import { programPath } from '../../../programs.js';
import { askVersion, isOlder } from '../../hosts/local/program.js';
import { pidOf } from '../../hosts/local/record.js';
import { executableOf } from '../../hosts/processes.js';
import { problem } from '../../texts.js';

/** @import { StackRecord } from '../../hosts/local/record.js' */
/** @import { NamedServer } from '../../types.js' */

/** Tried in this order if the user names none. */
const SERVERS = ['redis-server', 'valkey-server'];

export const INSTALL_SERVER =
  'Install one (Debian: `apt install redis-server`; Fedora: `dnf install valkey`; Alpine: `apk add redis`; macOS: `brew install redis`)';

/** The oldest version with `SENTINEL REPLICAS` and the fields of replicas in `INFO`. */
const OLDEST = '6.2';

/**
 * @param {string} [wanted] a name on PATH or a path; default: `SENTINEL_BENCH_SERVER`, else redis-server or valkey-server
 * @returns path: absolute; null: none was named and none is installed @throws {UserError} the named one cannot be used
 */
export async function findServer(wanted = process.env.SENTINEL_BENCH_SERVER) {
  if (wanted) return inspect(wanted);
  for (const path of SERVERS) {
    try {
      return await inspect(path);
    } catch (error) {
      if (!(error instanceof UserError && codeOf(error.cause) === 'ENOENT')) throw error;
    }
  }
  return null;
}

/**
 * @param {readonly string[]} wanted each as for {@link findServer}
 * @param {{look?: (wanted: string) => Promise<Omit<NamedServer, 'id'>>, option?: string}} [options] look: what one of them is, such as an
 *   image; option: that named them @throws {UserError} as `findServer` does, or two are of the same version
 */
export async function findServers(wanted, { look = inspect, option = '--server' } = {}) {
  /** @type {NamedServer[]} */
  const servers = [];
  for (const program of wanted) {
    const server = await look(program);
    const id = `${server.name}-${server.version}`;
    if (servers.some((each) => each.id === id))
      throw problem('server-named-twice', { program, name: server.name, version: server.version, option });
    servers.push({ id, ...server });
  }
  return servers;
}

/**
 * The record of another process is not trusted: a running node runs the program that it names, or this process finds the same server.
 * @param {StackRecord} record @param {string} [wanted] as for {@link findServer}
 * @returns the path of the program that starts its nodes @throws {UserError} neither holds
 */
export async function programOf(record, wanted) {
  const { server: recorded } = record;
  const running = record.nodes.flatMap(({ id }) => pidOf(record, id) ?? []);
  const program = isAbsolute(recorded.path) ? realPath(recorded.path) : null;
  if (program !== null && running.some((pid) => executableOf(pid) === program)) return recorded.path;
  const found = await findServer(wanted);
  if (found && found.name === recorded.name && found.version === recorded.version) return found.path;
  throw problem('server-unknown', { path: recorded.path });
}

/** @param {string} path @returns null: it was removed, or this user may not see it */
export function realPath(path) {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

async function inspect(/** @type {string} */ path) {
  const server = readVersion(path, await askVersion(path, ['--version']));
  // Absolute: nodes have other working directories, and PATH may differ when a node is started again.
  return { path: resolve(path.includes('/') ? path : (programPath(path) ?? path)), ...server };
}

/** @param {string} program or image @param {string} output of `--version` @throws {UserError} it is neither Redis nor Valkey, or too old */
export function readVersion(program, output) {
  // Valkey 7.2 does not print its name.
  const match = /^(Redis |Valkey )?[Ss]erver v=(\d+\.\d+\.\d+)/m.exec(output);
  if (!match) throw problem('not-a-server', { program, said: output.trim().slice(0, 80) });
  const name = match[1] === 'Redis ' ? 'redis' : 'valkey';
  const [, , version] = match;
  if (isOlder(version, OLDEST)) throw problem('server-too-old', { program, version, oldest: OLDEST });
  return { name, version };
}

/** Any client can choose the file of its snapshot and load modules. @param {{name: string, version: string}} server */
export function isOpenToOthers({ name, version }) {
  return name === 'redis' && Number.parseInt(version, 10) < 7;
}
