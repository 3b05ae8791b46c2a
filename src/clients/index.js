import { findClient } from '../registry/clients.js';

/** @import { Client, ClientName, LoadConnection } from './types.js' */

/** Loads only the library that it uses. @param {ClientName} name @returns {Promise<Client>} rejects if none in the load thread has this name */
export async function loadClient(name) {
  const url = findClient(name)?.connect;
  if (url === undefined) throw new Error(`${name} is not a client of the load thread`);
  return (await import(url)).client;
}

/** @param {LoadConnection} connection whose keys are set @returns {Promise<void>} when the outcome of every write is known */
export function writeBatch(connection) {
  return new Promise((resolve) => {
    connection.onBatch = resolve;
    connection.write();
  });
}
