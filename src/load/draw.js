/**
 * What the next batch does: reads or writes, and on which keys.
 */

/**
 * Fills in the keys of a connection's next batch and starts it.
 *
 * @typedef {(connection: import('../client/types.js').Connection) => void} Draw
 */

/**
 * @param {Object} options
 * @param {number} options.keyspace how many keys there are
 * @param {number} [options.firstKey] their lowest number; default 0
 * @param {number} [options.readRatio] share of the batches that read, 0 … 1; default 0. A batch reads or writes as a whole,
 *   so that a WAIT at its end covers writes only
 * @param {() => number} options.random draws from [0, 1)
 * @returns {Draw}
 */
export function createDraw({ keyspace, firstKey = 0, readRatio = 0, random }) {
  return (connection) => {
    const { keys } = connection;
    for (let i = 0; i < keys.length; i++) keys[i] = firstKey + Math.floor(random() * keyspace);
    if (readRatio > 0 && random() < readRatio) connection.fetch();
    else connection.write();
  };
}
