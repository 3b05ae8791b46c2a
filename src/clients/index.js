/**
 * The clients by name.
 */

/** @import { Client, ClientName } from './types.js' */

/** @type {Record<ClientName, () => Promise<Client>>} */
const loaders = {
  native: async () => (await import('./native.js')).native,
  redis: async () => (await import('./redis.js')).redis,
  ioredis: async () => (await import('./ioredis.js')).ioredis,
  mysql2: async () => (await import('./mysql.js')).mysql2,
};

/** The clients of Redis, for `--client`. */
export const clientNames = /** @type {const} */ (['native', 'redis', 'ioredis']);

/**
 * Loads a client and its library, so that a load thread holds only the library it uses.
 *
 * @param {ClientName} name
 */
export function loadClient(name) {
  return loaders[name]();
}
