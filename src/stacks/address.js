/**
 * Addresses as text, and the maps that the client libraries want.
 *
 * @typedef {import('./types.js').Address} Address
 */

/**
 * @param {Address} address
 * @returns {string} `host:port`, as both client libraries write it in their maps
 */
export function formatAddress({ host, port }) {
  return `${host}:${port}`;
}

/**
 * @param {Address | null} a
 * @param {Address | null} b
 */
export function sameAddress(a, b) {
  return a !== null && b !== null && a.host === b.host && a.port === b.port;
}

/**
 * ioredis' `natMap`: what the Sentinels announce → where this process reaches it. It holds the Sentinels too, because
 * ioredis looks up in it the other Sentinels it hears of.
 *
 * @param {{nodes: readonly import('./types.js').NodeInfo[]}} cluster
 * @returns {Record<string, Address>}
 */
export function natMap(cluster) {
  return Object.fromEntries(cluster.nodes.map((node) => [formatAddress(node.announced), { ...node.address }]));
}

/**
 * node-redis' `nodeAddressMap`. The same form and content as {@link natMap}: node-redis too connects to the Sentinels it
 * hears of through the map.
 */
export const nodeAddressMap = natMap;
