/**
 * Closed loop: each connection starts its next batch when the last one is complete. What is recorded is service time: a
 * stalled server is asked less, so the stall hardly shows in the percentiles.
 */

/**
 * @import { Connection } from '../clients/types.js'
 * @import { Draw } from './draw.js'
 * @import { Recorder } from './recorder.js'
 */

/**
 * Runs batches on all connections for a while, then lets what is under way end.
 *
 * @param {Connection[]} connections none of them busy
 * @param {Object} options
 * @param {number} options.seconds how long batches are started for
 * @param {number} [options.operations] start no batch when so many have been started; default: no limit
 * @param {Draw} options.draw starts a batch
 * @param {Recorder} options.recorder
 * @returns {Promise<{seconds: number}>} from the first batch's start to the last one's end
 */
export function runClosedLoop(connections, { seconds, operations = Infinity, draw, recorder }) {
  const startedAt = new Float64Array(connections.length);
  return new Promise((resolve) => {
    let running = 0;
    let started = 0;
    const begin = performance.now();
    const deadline = begin + seconds * 1000;

    /**
     * @param {number} index
     * @param {number} now
     */
    const start = (index, now) => {
      const connection = connections[index];
      started += connection.keys.length;
      startedAt[index] = now;
      draw(connection);
    };

    connections.forEach((connection, index) => {
      connection.onError = (text) => recorder.error(text);
      connection.onBatch = () => {
        const now = performance.now();
        recorder.batch(connection, now - startedAt[index]);
        // A lost connection is not replaced: a round that lost one says so in its errors.
        if (now < deadline && started < operations && !connection.lost) start(index, now);
        else if (--running === 0) resolve({ seconds: (now - begin) / 1000 });
      };
    });
    for (let index = 0; index < connections.length && started < operations; index++) {
      running++;
      start(index, performance.now());
    }
  });
}
