/** Ends a loop early, when the user asks to stop. */

/** @import { LoadConnection } from '../clients/types.js' */

const REPLIES_MS = 1000;

/**
 * @param {AbortSignal | undefined} stop
 * @param {readonly LoadConnection[]} connections closed if replies do not come soon; their operations under way are then unknown
 * @param {() => void} end starts no more batches
 */
export function onStop(stop, connections, end) {
  stop?.addEventListener(
    'abort',
    () => {
      end();
      setTimeout(() => {
        for (const connection of connections) {
          // This side closes it, so that is no error of the round.
          connection.onError = () => {};
          void connection.close();
        }
      }, REPLIES_MS);
    },
    { once: true },
  );
}
