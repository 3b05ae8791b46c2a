import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/**
 * A node that is stopped for a while gives its port up until it starts again. These are the ones that nobody takes meanwhile:
 * not well known, and not given to outgoing connections by any system.
 */
const QUIET_PORTS = { first: 20_000, count: 12_000 };

/** In /proc/net/tcp: the socket listens. */
const TCP_LISTEN = '0A';

/**
 * Binds and lets go again: nothing less tells whether a port can be had.
 *
 * @param {number} port 1 … 65535
 * @param {string} [host] default: loopback
 * @returns {Promise<boolean>} false: it is taken, or not ours to take
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
 * @param {ReadonlySet<number>} [except] ports already given away and not yet taken
 * @returns {Promise<number>} one of the quiet ports that is free on loopback now; somebody may take it before it is used
 */
export async function freePort(except = new Set()) {
  for (;;) {
    const port = QUIET_PORTS.first + Math.floor(Math.random() * QUIET_PORTS.count);
    if (!except.has(port) && (await isPortFree(port))) return port;
  }
}

/**
 * Who listens on a TCP port of this machine, as far as this user may know.
 *
 * @param {number} port
 * @returns {{pid: number, name: string} | null} null: nobody, or it cannot be known
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
    // Another user's process, one that is gone, or no /proc at all: nothing to be known there.
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
