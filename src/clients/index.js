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
 * A client, its library loaded only now: a load thread carries no more than what it uses.
 * @param {ClientName} name
 */
export function loadClient(name) {
  return loaders[name]();
}
