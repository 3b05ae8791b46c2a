/**
 * A tunnel through real ssh and sshd, unprivileged, with temporary keys. sshd does not listen: each connection starts
 * one with the connection as standard input and output, so both programs end with the wire.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { environmentForPrograms, execute, programPath, SYSTEM_FOLDERS } from '../../../src/programs.js';
import { LOOPBACK } from '../../../src/stacks/address.js';
import { freePort } from '../../../src/stacks/hosts/ports.js';
import { textOf } from '../../../src/stacks/hosts/processes.js';
import { sum } from '../../../src/stats/statistics.js';
import { supervise, tend } from './processes.js';

/** @import { Address } from '../../types.js' */
/** @import { Supervised, Supervisor } from './processes.js' */
/** @import { AddressInfo } from 'node:net' */
/** @typedef {{name: string, uid: number, gid: number, other: boolean}} SshAccount other: than this process's */
/**
 * @typedef {Object} Sshd at the primary's end
 * @property {number} port
 * @property {Address} to where it leads
 * @property {string} keys a folder with `client_key` and `known_hosts`, where the server is called {@link HOST_ALIAS}
 * @property {string} user to log in as
 * @property {() => string} said its last output
 * @property {() => number | null} cpuSeconds of all connections
 * @property {() => Promise<void>} close ends every process and removes the keys
 */

/** The server's name in known_hosts: its port changes. */
const HOST_ALIAS = 'sentinel-bench-tunnel';
const FOLDERS = [...SYSTEM_FOLDERS, '/usr/local/sbin', '/usr/lib/ssh'];
const PACKAGES = { ssh: 'openssh-client', 'ssh-keygen': 'openssh-client', sshd: 'openssh-server' };
/** Unprivileged accounts: OpenSSH's own, and the common one, which some systems lock. */
const UNPRIVILEGED = ['sshd', 'nobody'];

/** @param {string} name @returns {string | null} path of the program */
export const findProgram = (name) => programPath(name, FOLDERS);

/** @returns {string | null} what is missing, and the remedy */
export function whyNoSsh() {
  const [absent] = Object.entries(PACKAGES).filter(([name]) => findProgram(name) === null);
  if (absent) return `${absent[0]} is not installed. Install the package ${absent[1]}.`;
  return sshdAccount() ? null : 'sshd has no user to run as. Run this as an ordinary user that is in /etc/passwd.';
}

/**
 * Starts the replica's end. It may not accept connections yet.
 * @param {Sshd} server
 * @param {{wire: number, compress: boolean, restartAfterMs?: number, supervisor?: Supervisor}} options wire: port of the wire to the server
 * @returns {Promise<Supervised & {port: number}>} port for the replica
 */
export async function startSsh(server, { wire, compress, restartAfterMs, supervisor }) {
  const port = await freePort();
  const args = sshArguments(server, { wire, port, compress, keepAlive: supervisor !== undefined });
  if (supervisor !== undefined && supervisor !== 'restart')
    return { ...tend({ supervisor, args, port, folder: server.keys }), port };
  const start = () => spawn('ssh', args, { env: environmentForPrograms(), stdio: ['ignore', 'ignore', 'pipe'] });
  return { ...supervise(start, restartAfterMs), port };
}

/** @param {Address} to the only address that it forwards to @param {string} folder its keys go into a new one in it @returns {Promise<Sshd>} */
export async function openSshd(to, folder) {
  const account = sshdAccount();
  if (!account) throw new Error('there is no account that sshd can run as');
  const keys = mkdtempSync(join(folder, 'tunnel-'));
  /** One for each connection. @type {Supervised[]} */
  const servers = [];

  const listener = createServer({ pauseOnConnect: true }, (socket) => {
    const start = () =>
      spawn(String(findProgram('sshd')), sshdArguments(keys, account, to), {
        cwd: keys,
        stdio: [socket, socket, 'pipe'],
        env: { PATH: process.env.PATH },
        ...(account.other && { uid: account.uid, gid: account.gid }),
      });
    servers.push(supervise(start));
    // The server has a handle of its own.
    socket.destroy();
  });

  async function close() {
    listener.close();
    await Promise.all(servers.map((server) => server.close()));
    rmSync(keys, { recursive: true, force: true });
  }

  try {
    await makeKeys(keys, account);
    await once(listener.listen(0, LOOPBACK), 'listening');
  } catch (error) {
    await close();
    throw error;
  }
  return {
    port: /** @type {AddressInfo} */ (listener.address()).port,
    to,
    keys,
    user: account.name,
    said: () => servers.map((server) => server.said()).join('\n'),
    cpuSeconds() {
      const seconds = servers.map((server) => server.cpuSeconds());
      return seconds.includes(null) ? null : sum(seconds.map(Number));
    },
    close,
  };
}

/** @param {string} folder @param {SshAccount} account */
async function makeKeys(folder, account) {
  for (const file of ['host_key', 'client_key'])
    await execute('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(folder, file)]);
  const hostKey = readFileSync(join(folder, 'host_key.pub'), 'utf8');
  writeFileSync(join(folder, 'known_hosts'), `${HOST_ALIAS} ${hostKey}`);
  if (!account.other) return;
  for (const path of [join(folder, 'host_key'), folder]) chownSync(path, account.uid, account.gid);
}

/** @param {string} folder @param {SshAccount} account @param {Address} to */
function sshdArguments(folder, account, to) {
  const clientKey = readFileSync(join(folder, 'client_key.pub'), 'utf8').trim();
  // Another user cannot enter the folders above this one, but can start in it.
  const here = account.other ? '/proc/self/cwd' : folder;
  const settings = {
    HostKey: join(here, 'host_key'),
    // The server would read a file only after it has left its first folder.
    AuthorizedKeysCommand: `/bin/echo ${clientKey}`,
    AuthorizedKeysCommandUser: account.name,
    AuthorizedKeysFile: 'none',
    AuthenticationMethods: 'publickey',
    UsePAM: 'no',
    StrictModes: 'no',
    LogLevel: 'ERROR',
    MaxSessions: '0',
    AllowAgentForwarding: 'no',
    AllowStreamLocalForwarding: 'no',
    AllowTcpForwarding: 'local',
    PermitOpen: `${to.host}:${to.port}`,
  };
  return ['-i', '-e', '-f', 'none', ...optionsOf(settings)];
}

/** @param {Sshd} server @param {{wire: number, port: number, compress: boolean, keepAlive: boolean}} tunnel */
function sshArguments({ keys, user, to }, { wire, port, compress, keepAlive }) {
  const settings = {
    HostKeyAlias: HOST_ALIAS,
    UserKnownHostsFile: join(keys, 'known_hosts'),
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'yes',
    UpdateHostKeys: 'no',
    BatchMode: 'yes',
    IdentitiesOnly: 'yes',
    ExitOnForwardFailure: 'yes',
    ...(keepAlive && { ServerAliveInterval: '1', ServerAliveCountMax: '3' }),
    LogLevel: 'ERROR',
  };
  const login = ['-F', 'none', '-p', String(wire), '-i', join(keys, 'client_key'), `${user}@${LOOPBACK}`];
  const forward = ['-N', '-T', '-L', `${LOOPBACK}:${port}:${to.host}:${to.port}`];
  return [...forward, ...(compress ? ['-C'] : []), ...optionsOf(settings), ...login];
}

/** @param {Record<string, string>} settings */
const optionsOf = (settings) => Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);

/** @returns {SshAccount | null} null: this process is root and no unprivileged account exists, or its user is not in /etc/passwd */
function sshdAccount() {
  if (process.getuid?.() !== 0) {
    try {
      const { username: name, uid, gid } = userInfo();
      return { name, uid, gid, other: false };
    } catch {
      return null;
    }
  }
  // Another user reads the key through /proc, without access to the folders above.
  if (!existsSync('/proc/self/cwd')) return null;
  const users = textOf('/etc/passwd')
    .split('\n')
    .map((line) => line.split(':'));
  const [found] = UNPRIVILEGED.flatMap((wanted) => users.filter(([name]) => name === wanted));
  return found ? { name: found[0], uid: Number(found[2]), gid: Number(found[3]), other: true } : null;
}
