/**
 * What the next batch does: reads, writes or PINGs, and on which keys.
 */

/**
 * @import { Connection } from '../clients/types.js'
 * @import { RoundPlan } from './types.js'
 */

/**
 * Fills in the keys of a connection's next batch and starts it.
 *
 * @typedef {(connection: Connection) => void} Draw
 */

/**
 * @param {Object} options
 * @param {number} options.keyspace how many keys there are
 * @param {number} [options.firstKey] their lowest number; default 0
 * @param {number} [options.readRatio] share of the batches that read, 0 … 1; default 0. A batch reads or writes as a whole,
 *   so that a WAIT at its end covers writes only
 * @param {RoundPlan['operation']} [options.operation] what every batch is made of; default set, or what
 *   `readRatio` says
 * @param {() => number} options.random draws from [0, 1)
 * @returns {Draw}
 */
export function createDraw({ keyspace, firstKey = 0, readRatio = 0, operation = 'set', random }) {
  if (operation === 'ping') return (connection) => connection.ping();
  /** @param {Uint32Array} keys */
  const drawKeys = (keys) => {
    for (let i = 0; i < keys.length; i++) keys[i] = firstKey + Math.floor(random() * keyspace);
  };
  if (operation === 'get') {
    return (connection) => {
      drawKeys(connection.keys);
      connection.fetch();
    };
  }
  return (connection) => {
    drawKeys(connection.keys);
    if (readRatio > 0 && random() < readRatio) connection.fetch();
    else connection.write();
  };
}
