/**
 * Connections that write all the while, so that what is measured is measured beside them.
 */
import { Recorder } from './recorder.js';

/**
 * @import { Connection } from '../clients/types.js'
 * @import { Draw } from './draw.js'
 */

/**
 * Begins to write on all connections, one batch after the other on each.
 *
 * @param {Connection[]} connections none of them busy
 * @param {Draw} draw starts a batch
 * @returns {{stop: () => Promise<{operations: number, seconds: number, recorder: Recorder}>}} stop: begins no more batches and
 *   resolves when those under way have ended; seconds from the first batch's start to the last one's end
 */
export function startBackground(connections, draw) {
  const recorder = new Recorder();
  const begin = performance.now();
  let end = begin;
  let stopping = false;
  const loops = connections.map(
    (connection) =>
      new Promise((resolve) => {
        connection.onError = (text) => recorder.error(text);
        connection.onBatch = () => {
          recorder.count(connection);
          end = performance.now();
          // A lost connection is not replaced: the round says so in its errors.
          if (stopping || connection.lost) resolve(undefined);
          else draw(connection);
        };
        draw(connection);
      }),
  );
  return {
    async stop() {
      stopping = true;
      await Promise.all(loops);
      return { operations: recorder.operations, seconds: (end - begin) / 1000, recorder };
    },
  };
}
