import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { LOOPBACK } from './address.js';

/**
 * A stopped node gives up its port until it starts again. Other processes rarely take one of these meanwhile: they are not well known,
 * and no system uses them for outgoing connections.
 */
const QUIET_PORTS = { first: 20_000, count: 12_000 };

/** State of a listening socket in /proc/net/tcp. */
const TCP_LISTEN = '0A';

/**
 * Binds the port and releases it: nothing less shows whether it is free.
 *
 * @param {number} port 1 … 65535
 * @param {string} [host] default: loopback
 * @returns {Promise<boolean>} false: it is taken, or this user may not take it
 */
export function isPortFree(port, host = LOOPBACK) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * @param {ReadonlySet<number>} [except] ports that were assigned and are not taken yet
 * @returns {Promise<number>} a quiet port that is free on loopback now; another process may take it before it is used
 */
export async function freePort(except = new Set()) {
  for (;;) {
    const port = QUIET_PORTS.first + Math.floor(Math.random() * QUIET_PORTS.count);
    if (!except.has(port) && (await isPortFree(port))) return port;
  }
}

/**
 * Finds the process that listens on a TCP port of this machine, as far as this user may see it.
 *
 * @param {number} port
 * @returns {{pid: number, name: string} | null} null: none, or not visible
 */
export function portOwner(port) {
  const inodes = listeningInodes(port);
  if (inodes.size === 0) return null;
  for (const pid of listDirectory('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const fd of listDirectory(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(readIfAllowed(() => readlinkSync(`/proc/${pid}/fd/${fd}`)))?.[1];
      if (inode !== undefined && inodes.has(inode)) {
        return { pid: Number(pid), name: readIfAllowed(() => readFileSync(`/proc/${pid}/comm`, 'utf8')).trim() };
      }
    }
  }
  return null;
}

/** @param {number} port */
function listeningInodes(port) {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const inodes = new Set();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const rows = readIfAllowed(() => readFileSync(table, 'utf8'))
      .split('\n')
      .slice(1);
    for (const row of rows) {
      const [, local, , state, , , , , , inode] = row.trim().split(/\s+/);
      if (state === TCP_LISTEN && local.endsWith(`:${hexPort}`)) inodes.add(inode);
    }
  }
  return inodes;
}

/** @param {string} path */
function listDirectory(path) {
  try {
    return readdirSync(path);
  } catch {
    // Another user's process, one that has ended, or no /proc.
    return [];
  }
}

/** @param {() => string} read */
function readIfAllowed(read) {
  try {
    return read();
  } catch {
    // See listDirectory.
    return '';
  }
}
