import { createServer } from 'node:net';
import { LOOPBACK } from '../address.js';
import { linkOf, numericNames, processIds, textOf } from './processes.js';

/** A stopped node's port is free meanwhile. Others rarely take one of these: they are not well known, and no system dials from them. */
const QUIET_PORTS = { first: 20_000, count: 12_000 };

const LISTENS = '0A';

/** Binds the port on loopback: nothing less shows whether it is free. @param {number} port @returns {Promise<boolean>} */
export function isPortFree(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** @param {ReadonlySet<number>} [except] @returns free on loopback now; another process may take it before it is used */
export async function freePort(except = new Set()) {
  for (;;) {
    const port = QUIET_PORTS.first + Math.floor(Math.random() * QUIET_PORTS.count);
    if (!except.has(port) && (await isPortFree(port))) return port;
  }
}

/**
 * All usual ports or none: a free one among taken ones may belong to a stopped node of another user's stack.
 * @param {readonly {id: string, port: number}[]} nodes and their usual ports @param {Set<number>} taken gets the chosen ones
 * @param {boolean} useUsual if all are free @returns lost: the first usual port that is taken
 */
export async function choosePorts(nodes, taken, useUsual) {
  const free = await Promise.all(nodes.map(({ port }) => !taken.has(port) && isPortFree(port)));
  const lost = nodes[free.indexOf(false)]?.port;
  const placed = [];
  for (const { id, port } of nodes) {
    const chosen = useUsual && lost === undefined ? port : await freePort(taken);
    taken.add(chosen);
    placed.push({ id, port: chosen });
  }
  return { placed, lost };
}

/** @param {number} port @returns such as ` by redis-server (process 12)`; empty: not known */
export function takenBy(port) {
  const pid = listenerAt([`:${hexPort(port)}`], processIds());
  return pid === null ? '' : ` by ${textOf(`/proc/${pid}/comm`).trim()} (process ${pid})`;
}

/** As the kernel writes it. @param {number} port */
export function hexPort(port) {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

/**
 * @param {readonly string[]} ends of addresses and ports, as the kernel writes them
 * @param {readonly number[]} pids that may be the one that listens there, frozen or not; all of one network namespace
 */
export function listenerAt(ends, pids) {
  if (pids.length === 0) return null;
  // They share the tables of their network.
  const sockets = ['tcp', 'tcp6'].flatMap((table) =>
    listeningIn(`/proc/${pids.includes(process.pid) ? 'self' : pids[0]}/net/${table}`)
      // A socket of IPv6 takes connections to IPv4 addresses, too. It has them in its last digits.
      .filter(([, local]) => ends.some((each) => local.endsWith(each)))
      .map((fields) => `socket:[${fields[9]}]`),
  );
  if (sockets.length === 0) return null;
  const listens = (/** @type {number} */ pid) =>
    numericNames(`/proc/${pid}/fd`).some((fd) => sockets.includes(linkOf(`/proc/${pid}/fd/${fd}`) ?? ''));
  return pids.find(listens) ?? null;
}

/** @param {string} table @returns fields of the sockets that listen; empty: the process has ended, or there is no /proc */
function listeningIn(table) {
  const rows = textOf(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return rows.filter((fields) => fields[3] === LISTENS);
}
