/**
 * The programs of OpenSSH on this machine, and the user whom its server runs as.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { programPath } from '../programs.js';

const execute = promisify(execFile);

/** Where sshd is, which most people's PATH leaves out. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/sbin', '/usr/lib/ssh'];

/** Who need not be root: OpenSSH's own unprivileged user, and everybody's. Some systems lock the latter. */
const UNPRIVILEGED = ['sshd', 'nobody'];

/**
 * @typedef {Object} Account
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
  if (findProgram('ssh') === null) return 'There is no ssh here. Install the package openssh-client.';
  if (findProgram('ssh-keygen') === null) return 'There is no ssh-keygen here. Install the package openssh-client.';
  if (findProgram('sshd') === null) return 'There is no sshd here. Install the package openssh-server.';
  if (sshdAccount() === null) {
    return 'There is no user here whom sshd can run as instead of root. Run this as an ordinary user.';
  }
  return null;
}

/**
 * @returns {Account | null} null: this process is root and there is no other
 */
export function sshdAccount() {
  const me = userInfo();
  if (me.uid !== 0) return { name: me.username, uid: me.uid, gid: me.gid, other: false };
  // Of another user's key only /proc can tell it without letting it into the folders above.
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

/** @returns {Promise<string>} such as “OpenSSH 9.2p1” */
export async function sshVersion() {
  const { stdout, stderr } = await execute(findProgram('ssh') ?? 'ssh', ['-V']);
  const text = `${stderr}${stdout}`.trim();
  return /^OpenSSH_\S+?(?=[\s,]|$)/.exec(text)?.[0].replace('_', ' ') ?? text.slice(0, 40);
}
