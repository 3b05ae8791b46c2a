/**
 * The three clients by name.
 */

/** @import { Client, ClientName } from './types.js' */

/** @type {Record<ClientName, () => Promise<Client>>} */
const loaders = {
  native: async () => (await import('./native.js')).native,
  redis: async () => (await import('./redis.js')).redis,
  ioredis: async () => (await import('./ioredis.js')).ioredis,
};

export const clientNames = /** @type {ClientName[]} */ (Object.keys(loaders));

/**
 * Loads a client and its library, so that a load thread holds only the library it uses.
 *
 * @param {ClientName} name
 */
export function loadClient(name) {
  return loaders[name]();
}
