/**
 * Closed loop: each connection starts its next batch when the last one is complete.
 */
import { Recorder } from './recorder.js';

/** @typedef {import('../client/types.js').Connection} Connection */

/**
 * Writes on all connections for a while, then lets what is under way end.
 *
 * @param {Connection[]} connections none of them busy
 * @param {Object} options
 * @param {number} options.seconds how long batches are started for
 * @param {number} options.keyspace how many keys are written
 * @param {number} [options.firstKey] their lowest number; default 0
 * @param {() => number} options.random draws from [0, 1)
 * @returns {Promise<{recorder: Recorder, seconds: number}>} `seconds`: from the first batch's start to the last one's end
 */
export function runWrites(connections, { seconds, keyspace, firstKey = 0, random }) {
  const recorder = new Recorder();
  const startedAt = new Float64Array(connections.length);
  return new Promise((resolve) => {
    let running = connections.length;
    const begin = performance.now();
    const deadline = begin + seconds * 1000;

    /**
     * @param {number} index
     * @param {number} now
     */
    const start = (index, now) => {
      const connection = connections[index];
      const { keys } = connection;
      for (let i = 0; i < keys.length; i++) keys[i] = firstKey + Math.floor(random() * keyspace);
      startedAt[index] = now;
      connection.write();
    };

    connections.forEach((connection, index) => {
      connection.onError = (text) => recorder.error(text);
      connection.onBatch = () => {
        const now = performance.now();
        recorder.batch(connection.outcomes, now - startedAt[index]);
        // A lost connection is not replaced: a round that lost one says so in its errors.
        if (now < deadline && !connection.lost) start(index, now);
        else if (--running === 0) resolve({ recorder, seconds: (now - begin) / 1000 });
      };
    });
    for (let index = 0; index < connections.length; index++) start(index, performance.now());
  });
}
