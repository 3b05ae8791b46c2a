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
import { environmentForPrograms, execute, programPath } from '../../../src/programs.js';
import { LOOPBACK } from '../../../src/stacks/address.js';
import { freePort } from '../../../src/stacks/ports.js';
import { createCpuMeter, supervise } from './processes.js';
import { tend } from './supervisors.js';

/**
 * @import { Address } from '../../../src/stacks/types.js'
 * @import { Supervised } from './processes.js'
 * @import { Supervisor, Tended } from './supervisors.js'
 * @import { AddressInfo } from 'node:net'
 * @import { UserInfo } from 'node:os'
 */

/** The server's name in known_hosts: its port changes. */
const HOST_ALIAS = 'sentinel-bench-tunnel';

/**
 * @typedef {Object} SshTunnel processes at both ends of a wire
 * @property {string} by what it is, for the report
 * @property {Address} wireTo the primary's end
 * @property {(wire: Address) => Address} dial starts the replica's end, once; returns the address for the replica
 * @property {() => boolean} runs both ends run; they may not accept connections yet
 * @property {() => number} restarts of the replica's end by its supervisor
 * @property {() => string} said the last output of both ends
 * @property {() => {primaryEndCpuSeconds: number | null, replicaEndCpuSeconds: number | null}} cpu never falls
 * @property {() => Promise<void>} kill the replica's end
 * @property {Tended} [tended]
 * @property {() => Promise<void>} close idempotent: ends every process and removes every file
 *
 * @param {Object} options
 * @param {Address} options.to where it leads
 * @param {boolean} options.compress
 * @param {string} options.folder of the stack; that of the keys is in it
 * @param {number} [options.restartAfterMs]
 * @param {Supervisor} [options.supervisor]
 * @returns {Promise<SshTunnel>}
 */
export async function openSsh({ to, compress, folder, restartAfterMs, supervisor }) {
  const by = `ssh${compress ? ' -C' : ''} (${await sshVersion()})`;
  const port = await freePort();
  const cpu = createCpuMeter();
  const server = await openSshd({ to, folder });
  /** @type {(Supervised & Partial<Tended>) | undefined} */
  let client;
  return {
    by,
    wireTo: server.address,
    dial(wire) {
      const ssh = findProgram('ssh') ?? 'ssh';
      const args = sshArguments(server, { wire, port, to, compress, keepAlive: supervisor !== undefined });
      client =
        supervisor === undefined || supervisor === 'restart'
          ? supervise({
              start: () => spawn(ssh, args, { env: environmentForPrograms(), stdio: ['ignore', 'ignore', 'pipe'] }),
              cpu,
              restartAfterMs,
            })
          : tend({ supervisor, ssh, args, port, folder: server.keys, cpu });
      return { host: LOOPBACK, port };
    },
    runs: () => client?.runs() === true,
    restarts: () => client?.restarts() ?? 0,
    said: () => [server.said(), client?.said()].filter(Boolean).join('\n'),
    cpu: () => ({ primaryEndCpuSeconds: server.cpuSeconds(), replicaEndCpuSeconds: cpu.seconds() }),
    async kill() {
      // The servers end with the client.
      server.cpuSeconds();
      await client?.kill();
    },
    tended: supervisor && {
      hang: async () => client?.hang(),
      killAll: async () => client?.killAll?.(),
    },
    async close() {
      await client?.close();
      await server.close();
    },
  };
}

/**
 * @typedef {Object} Sshd at the primary's end
 * @property {Address} address
 * @property {string} keys a folder with `client_key` and `known_hosts`, where the server is called {@link HOST_ALIAS}
 * @property {string} user to log in as
 * @property {() => string} said its last output
 * @property {() => number | null} cpuSeconds of all connections; never falls
 * @property {() => Promise<void>} close ends every process and removes the keys
 */

/**
 * @param {{to: Address, folder: string}} options to: the only address that it forwards to; folder: its keys go into a new one in it
 * @returns {Promise<Sshd>}
 */
async function openSshd({ to, folder }) {
  const account = sshdAccount();
  if (!account) throw new Error('there is no account that sshd can run as');
  const cpu = createCpuMeter();
  const keys = mkdtempSync(join(folder, 'tunnel-'));
  /** One for each connection. @type {Supervised[]} */
  const servers = [];

  const listener = createServer({ pauseOnConnect: true }, (socket) => {
    const start = () =>
      spawn(findProgram('sshd') ?? 'sshd', sshdArguments(keys, account, to), {
        cwd: keys,
        stdio: [socket, socket, 'pipe'],
        env: { PATH: process.env.PATH },
        ...(account.other && { uid: account.uid, gid: account.gid }),
      });
    servers.push(supervise({ start, cpu }));
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
    address: { host: LOOPBACK, port: /** @type {AddressInfo} */ (listener.address()).port },
    keys,
    user: account.name,
    said: () =>
      servers
        .map((server) => server.said())
        .join('\n')
        .trim(),
    cpuSeconds: cpu.seconds,
    close,
  };
}

/** @param {string} folder @param {SshAccount} account */
async function makeKeys(folder, account) {
  const keygen = findProgram('ssh-keygen') ?? 'ssh-keygen';
  const files = ['host_key', 'client_key'];
  await Promise.all(
    files.map((file) => execute(keygen, ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(folder, file)])),
  );
  const hostKey = readFileSync(join(folder, 'host_key.pub'), 'utf8');
  writeFileSync(join(folder, 'known_hosts'), `${HOST_ALIAS} ${hostKey}`);
  if (!account.other) return;
  chownSync(join(folder, 'host_key'), account.uid, account.gid);
  chownSync(folder, account.uid, account.gid);
}

/** @param {string} folder @param {SshAccount} account @param {Address} to */
function sshdArguments(folder, account, to) {
  const clientKey = readFileSync(join(folder, 'client_key.pub'), 'utf8').trim();
  // Another user cannot enter the folders above this one, but can start in it.
  const here = account.other ? '/proc/self/cwd' : folder;
  return [
    '-i',
    '-e',
    ...['-f', 'none'],
    ...settings({
      HostKey: join(here, 'host_key'),
      // The server would read a file only after it has left its first folder.
      AuthorizedKeysCommand: `/bin/echo ${clientKey}`,
      AuthorizedKeysCommandUser: account.name,
      AuthorizedKeysFile: 'none',
      AuthenticationMethods: 'publickey',
      PasswordAuthentication: 'no',
      KbdInteractiveAuthentication: 'no',
      UsePAM: 'no',
      StrictModes: 'no',
      UseDNS: 'no',
      PidFile: 'none',
      LogLevel: 'ERROR',
      MaxSessions: '0',
      PermitTTY: 'no',
      AllowAgentForwarding: 'no',
      AllowStreamLocalForwarding: 'no',
      X11Forwarding: 'no',
      AllowTcpForwarding: 'local',
      PermitOpen: `${to.host}:${to.port}`,
    }),
  ];
}

/**
 * @param {Pick<Sshd, 'keys' | 'user'>} server
 * @param {{wire: Address, port: number, to: Address, compress: boolean, keepAlive: boolean}} tunnel
 */
function sshArguments({ keys, user }, { wire, port, to, compress, keepAlive }) {
  return [
    '-N',
    '-T',
    ...(compress ? ['-C'] : []),
    ...['-F', 'none', '-p', String(wire.port), '-i', join(keys, 'client_key')],
    ...['-L', `${LOOPBACK}:${port}:${to.host}:${to.port}`],
    ...settings({
      HostKeyAlias: HOST_ALIAS,
      UserKnownHostsFile: join(keys, 'known_hosts'),
      GlobalKnownHostsFile: '/dev/null',
      StrictHostKeyChecking: 'yes',
      UpdateHostKeys: 'no',
      PreferredAuthentications: 'publickey',
      BatchMode: 'yes',
      IdentitiesOnly: 'yes',
      IdentityAgent: 'none',
      ExitOnForwardFailure: 'yes',
      ...(keepAlive && { ServerAliveInterval: '1', ServerAliveCountMax: '3' }),
      LogLevel: 'ERROR',
    }),
    `${user}@${wire.host}`,
  ];
}

/** @param {Record<string, string>} values */
function settings(values) {
  return Object.entries(values).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

/** Folders of sshd that PATH often lacks. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/sbin', '/usr/lib/ssh'];

/** Unprivileged accounts: OpenSSH's own, and the common one, which some systems lock. */
const UNPRIVILEGED = ['sshd', 'nobody'];

/**
 * @typedef {Object} SshAccount
 * @property {string} name
 * @property {number} uid
 * @property {number} gid
 * @property {boolean} other than this process's
 */

/**
 * @param {string} name of a program
 * @returns {string | null} its path
 */
export function findProgram(name) {
  return programPath(name, SYSTEM_FOLDERS);
}

/** @returns {string | null} what is missing, and the remedy */
export function whyNoSsh() {
  if (findProgram('ssh') === null) return 'ssh is not installed. Install the package openssh-client.';
  if (findProgram('ssh-keygen') === null) return 'ssh-keygen is not installed. Install the package openssh-client.';
  if (findProgram('sshd') === null) return 'sshd is not installed. Install the package openssh-server.';
  if (sshdAccount() === null) {
    return 'sshd has no user to run as. Run this as an ordinary user that is in /etc/passwd.';
  }
  return null;
}

/**
 * @returns {SshAccount | null} null: this process is root and no unprivileged account exists, or its user is not in /etc/passwd
 */
function sshdAccount() {
  if (process.getuid?.() !== 0) {
    const me = ownAccount();
    return me && { name: me.username, uid: me.uid, gid: me.gid, other: false };
  }
  // Another user reads the key through /proc, without access to the folders above.
  if (!existsSync('/proc/self/cwd')) return null;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of UNPRIVILEGED) {
    const user = users.find((fields) => fields[0] === name);
    if (user) return { name, uid: Number(user[2]), gid: Number(user[3]), other: true };
  }
  return null;
}

/** @returns {UserInfo<string> | null} null: this user is not in /etc/passwd, as in some containers */
function ownAccount() {
  try {
    return userInfo();
  } catch {
    return null;
  }
}

/** @returns {Promise<string>} such as “OpenSSH 9.2p1” */
async function sshVersion() {
  const { stdout, stderr } = await execute(findProgram('ssh') ?? 'ssh', ['-V']);
  const text = `${stderr}${stdout}`.trim();
  return /^OpenSSH_\S+?(?=[\s,]|$)/.exec(text)?.[0].replace('_', ' ') ?? text.slice(0, 40);
}
