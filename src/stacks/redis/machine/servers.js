/**
 * Redis servers and Sentinels on this machine that somebody else started: found by the address on which they
 * listen. Linux only.
 */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { basename } from 'node:path';
import { executableOf } from '../../processes.js';

/** @import { Address } from '../../types.js' */

const SERVER = /^(redis|valkey)-(server|sentinel)$/;

/** In /proc/net/tcp. */
const LISTENS = '0A';
const ANY = '00000000';
const CHUNK_BYTES = 4096;

/** @returns {string[]} IPv4 addresses of this machine */
export function ownAddresses() {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
}

/**
 * @param {number | 'self'} [pid]
 * @returns {string | null} its network namespace, for comparing; null: no such process, or not ours to look at
 */
export function networkOf(pid = 'self') {
  return linkOf(`/proc/${pid}/ns/net`);
}

/**
 * @param {Address} address IPv4
 * @param {{network?: string | null}} [options] network: of {@link networkOf}, default: that of this process
 * @returns {number | null} the process that listens there, frozen or not; null: there is none, or it is another program
 */
export function listeningServer({ host, port }, { network = networkOf() } = {}) {
  const wanted = [hexOf(host), ANY].map((address) => `${address}:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  const servers = numericNames('/proc').filter((pid) => isServer(pid) && networkOf(pid) === network);
  if (servers.length === 0) return null;
  // They share the table of their network.
  const sockets = socketsListening(servers[0], wanted);
  if (sockets.length === 0) return null;
  const listens = (/** @type {number} */ pid) =>
    numericNames(`/proc/${pid}/fd`).some((fd) => sockets.includes(linkOf(`/proc/${pid}/fd/${fd}`) ?? ''));
  return servers.find(listens) ?? null;
}

/** @param {number} pid @returns {string[]} its arguments, which a server may have replaced by a title and nothing; empty: it has ended */
export function argumentsOf(pid) {
  return textOf(`/proc/${pid}/cmdline`).replace(/\0$/, '').split('\0');
}

/** @param {number} pid */
function isServer(pid) {
  const [title] = argumentsOf(pid);
  const names = [textOf(`/proc/${pid}/comm`).trim(), basename(executableOf(pid) ?? ''), basename(title.split(' ')[0])];
  return names.some((name) => SERVER.test(name));
}

/**
 * @param {number} pid
 * @param {readonly string[]} wanted addresses and ports as the kernel writes them
 * @returns {string[]} sockets of its network that listen there
 */
function socketsListening(pid, wanted) {
  return ['tcp', 'tcp6'].flatMap((table) =>
    listeningIn(`/proc/${pid}/net/${table}`)
      // A socket of IPv6 takes connections to IPv4 addresses, too. It has them in its last digits.
      .filter(([, local]) => wanted.some((each) => local.endsWith(each)))
      .map((fields) => `socket:[${fields[9]}]`),
  );
}

/**
 * The sockets that listen come first. The rest of the table may hold many thousands of connections, which take the kernel seconds.
 *
 * @param {string} table
 * @returns {string[][]} the fields of their lines
 */
function listeningIn(table) {
  const lines = [];
  try {
    const file = openSync(table, 'r');
    try {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (let text = '', isHeader = true; ; ) {
        const bytes = readSync(file, chunk);
        if (bytes === 0) return lines;
        const parts = (text + chunk.toString('latin1', 0, bytes)).split('\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          const fields = part.trim().split(/\s+/);
          if (!isHeader && fields[3] !== LISTENS) return lines;
          if (!isHeader) lines.push(fields);
          isHeader = false;
        }
      }
    } finally {
      closeSync(file);
    }
  } catch {
    // The process has ended.
    return lines;
  }
}

/** @param {string} host IPv4 @returns {string} as the kernel writes it on little-endian machines */
function hexOf(host) {
  const bytes = host.split('.').map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0'));
  return bytes.reverse().join('');
}

/** @param {string} folder @returns {number[]} */
function numericNames(folder) {
  try {
    return readdirSync(folder).flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  } catch {
    // The process has ended, or belongs to another user.
    return [];
  }
}

/** @param {string} path @returns {string} empty: it cannot be read */
export function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** @param {string} path */
function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** Where `ip netns` keeps the names of namespaces. */
const NAMES = '/run/netns';

/**
 * @param {string} network of {@link networkOf}, noted by a process that may have ended
 * @returns {string[] | null} words before a command that is to run there; null: it is gone, with its rules
 */
export function wordsToEnter(network) {
  if (network === networkOf()) return [];
  const inode = /\d+/.exec(network)?.[0];
  const names = existsSync(NAMES) ? readdirSync(NAMES) : [];
  const name = names.find((each) => String(statSync(`${NAMES}/${each}`).ino) === inode);
  return name === undefined ? null : ['nsenter', `--net=${NAMES}/${name}`, '--'];
}
