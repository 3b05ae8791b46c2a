/** Addresses: validation, text, and the address maps of the client libraries. */
import { isIP } from 'node:net';

/** @import { Address, NodeInfo } from './types.js' */

export const LOOPBACK = '127.0.0.1';

/** Docker host names may have underscores. Many programs would take a leading hyphen for an option. */
const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const HOST_NAME = new RegExp(`^(?=.{1,254}$)${LABEL}(?:\\.${LABEL})*\\.?$`);
const MOST_PORT = 65_535;

/** @param {unknown} text @returns {text is string} a host name or an IP address, which has no special meaning to a shell, quoted or not */
export function isHost(text) {
  return typeof text === 'string' && (isIP(text) !== 0 || HOST_NAME.test(text));
}

/** @param {unknown} port */
export function isPort(port) {
  return /^\d{1,5}$/.test(String(port)) && Number(port) >= 1 && Number(port) <= MOST_PORT;
}

/** @param {unknown} host @param {unknown} port @throws {NoAddress} */
export function readAddress(host, port) {
  if (isHost(host) && isPort(port)) return { host, port: Number(port) };
  throw new NoAddress(host, port);
}

/** An invalid address from a server or a file. The message is the rest of a sentence that begins with its source. */
export class NoAddress extends Error {
  name = 'NoAddress';

  constructor(/** @type {unknown} */ host, /** @type {unknown} */ port) {
    const given = JSON.stringify(`${host}:${port}`);
    super(`gives the address ${given}, which is not a host name or an IP address with a port`);
  }
}

/** @param {Address} address */
export function formatAddress({ host, port }) {
  return `${host}:${port}`;
}

/** @param {Address | null} a @param {Address | null} b */
export function sameAddress(a, b) {
  return a !== null && b !== null && a.host === b.host && a.port === b.port;
}

/**
 * For ioredis (`natMap`) and node-redis (`nodeAddressMap`): announced address → where this process reaches it.
 * @param {{nodes: readonly NodeInfo[]}} stack
 */
export function natMap(stack) {
  return Object.fromEntries(stack.nodes.map((node) => [formatAddress(node.announced), { ...node.address }]));
}
