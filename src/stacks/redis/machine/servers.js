/** Redis servers and Sentinels on this machine that somebody else started: found by the address on which they listen. Linux only. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { basename } from 'node:path';
import { hexPort, listenerAt } from '../../hosts/ports.js';
import { executableOf, linkOf, processIds, textOf } from '../../hosts/processes.js';

/** @import { Address } from '../../types.js' */

const SERVER = /^(redis|valkey)-(server|sentinel)$/;

const ANY = '00000000';

/** IPv4. */
export function ownAddresses() {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
}

/** @param {number | 'self'} [pid] @returns for comparing; null: no such process, or not ours to look at */
export function networkOf(pid = 'self') {
  return linkOf(`/proc/${pid}/ns/net`);
}

/** @param {Address} address @param {{network?: string | null}} [options] network: of {@link networkOf} @returns its process, frozen or not */
export function listeningServer({ host, port }, { network = networkOf() } = {}) {
  const servers = processIds().filter((pid) => isServer(pid) && networkOf(pid) === network);
  const ends = [hexOf(host), ANY].map((address) => `${address}:${hexPort(port)}`);
  return listenerAt(ends, servers);
}

/** @param {number} pid @returns its arguments, or a title that a server has put in their place; empty: it has ended */
export function argumentsOf(pid) {
  return textOf(`/proc/${pid}/cmdline`).replace(/\0$/, '').split('\0');
}

function isServer(/** @type {number} */ pid) {
  const [title] = argumentsOf(pid);
  const names = [textOf(`/proc/${pid}/comm`).trim(), basename(executableOf(pid) ?? ''), basename(title.split(' ')[0])];
  return names.some((name) => SERVER.test(name));
}

/** As the kernel writes it on little-endian machines. @param {string} host IPv4 */
function hexOf(host) {
  const bytes = host.split('.').map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0'));
  return bytes.reverse().join('');
}

/** Where `ip netns` keeps the names of namespaces. */
const NAMES = '/run/netns';

/** @param {string} network @returns {string[] | null} words before a command that runs there; null: it is gone, with its rules */
export function wordsToEnter(network) {
  if (network === networkOf()) return [];
  const inode = /\d+/.exec(network)?.[0];
  const names = existsSync(NAMES) ? readdirSync(NAMES) : [];
  const name = names.find((each) => String(statSync(`${NAMES}/${each}`).ino) === inode);
  return name === undefined ? null : ['nsenter', `--net=${NAMES}/${name}`, '--'];
}
