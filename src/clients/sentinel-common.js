/**
 * What the Sentinel clients of both libraries need.
 */

/** @import { Address, Credentials } from '../stacks/types.js' */

/** How long a library may take to reach the primary at first, milliseconds. */
const CONNECT_DEADLINE_MS = 5000;

/**
 * @typedef {Object} SentinelOptions
 * @property {Address[]} sentinels
 * @property {{address: Address, announced: Address}[]} nodes the Redis nodes
 * @property {string} masterName
 * @property {Credentials} credentials
 * @property {(node: number) => void} onMove a new connection to a Redis node is there; its place in `nodes`, counted from 1, or
 *   0 when it is none of them
 *
 * @typedef {Object} SentinelClient a library's Sentinel client, connected
 * @property {(key: string, value: string) => Promise<unknown>} append
 * @property {(replicas: number, timeoutMs: number) => Promise<unknown>} wait
 * @property {(command: string[]) => Promise<unknown>} call any command, on the primary
 * @property {number} generation of the connection that answered last: no two connections have the same
 * @property {number} node that it goes to, as `onMove` has it; 0 also: there is none
 * @property {(error: unknown) => boolean} isReply it is the server's answer
 * @property {() => Promise<void>} destroy idempotent; leaves no socket
 */

/**
 * Which node a socket goes to.
 *
 * @param {{address: Address}[]} nodes
 * @param {{remoteAddress?: string, remotePort?: number}} socket connected
 * @returns {number} its place in `nodes`, counted from 1; 0: none of them. Where a node is known by a name instead of an
 *   address, its port decides, if no other has it
 */
export function nodeNumber(nodes, { remoteAddress, remotePort }) {
  const exact = nodes.findIndex(({ address }) => address.host === remoteAddress && address.port === remotePort);
  if (exact >= 0) return exact + 1;
  const samePort = nodes.filter(({ address }) => address.port === remotePort);
  return samePort.length === 1 ? nodes.indexOf(samePort[0]) + 1 : 0;
}

/**
 * @param {Promise<unknown>} connecting
 * @throws {Error} what it rejected with, or that it took longer than 5 s
 */
export async function withinDeadline(connecting) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(reject, CONNECT_DEADLINE_MS, new Error(`not within ${CONNECT_DEADLINE_MS / 1000} s`));
  });
  try {
    await Promise.race([connecting, late]);
  } finally {
    clearTimeout(timer);
  }
}
