/**
 * The three clients by name.
 */

/** @type {Record<import('./types.js').ClientName, () => Promise<import('./types.js').Client>>} */
const loaders = {
  native: async () => (await import('./native.js')).native,
  redis: async () => (await import('./redis.js')).redis,
  ioredis: async () => (await import('./ioredis.js')).ioredis,
};

export const clientNames = /** @type {import('./types.js').ClientName[]} */ (Object.keys(loaders));

/**
 * A client, its library loaded only now: a load thread carries no more than what it uses.
 * @param {import('./types.js').ClientName} name
 */
export function loadClient(name) {
  return loaders[name]();
}
