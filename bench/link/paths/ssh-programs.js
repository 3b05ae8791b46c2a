/**
 * The programs of OpenSSH on this machine, and the user whom its server runs as.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { programPath } from '../../../src/programs.js';

/** @import { UserInfo } from 'node:os' */

const execute = promisify(execFile);

/** Folders of sshd that PATH often lacks. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/sbin', '/usr/lib/ssh'];

/** Unprivileged accounts: OpenSSH's own, and the common one, which some systems lock. */
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
    return 'There is no user here whom sshd can run as. Run this as an ordinary user that /etc/passwd lists.';
  }
  return null;
}

/**
 * @returns {Account | null} null: this process is root and there is no other, or its user is not in the list of users
 */
export function sshdAccount() {
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

/** @returns {UserInfo<string> | null} null: this user is not in the list of users, as in some containers */
function ownAccount() {
  try {
    return userInfo();
  } catch {
    return null;
  }
}

/** @returns {Promise<string>} such as “OpenSSH 9.2p1” */
export async function sshVersion() {
  const { stdout, stderr } = await execute(findProgram('ssh') ?? 'ssh', ['-V']);
  const text = `${stderr}${stdout}`.trim();
  return /^OpenSSH_\S+?(?=[\s,]|$)/.exec(text)?.[0].replace('_', ' ') ?? text.slice(0, 40);
}
