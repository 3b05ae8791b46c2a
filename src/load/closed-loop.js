/**
 * Closed loop: each connection starts its next batch when the last one is complete. It records service time. A stalled server gets fewer
 * requests, so a stall hardly shows in the percentiles.
 * @import { LoadConnection } from '../clients/types.js'
 * @import { Recorder } from './recorder.js'
 * @import { RoundPlan } from './types.js'
 * @typedef {(connection: LoadConnection) => void} Draw fills in the keys of a connection's next batch and starts it
 */

/** Loops that are stopped early wait so long for replies. */
const REPLIES_MS = 1000;

/**
 * @param {Object} options @param {number} options.keyspace how many keys there are
 * @param {number} [options.firstKey] the lowest key number; default 0
 * @param {number} [options.readRatio] share of the batches that read, 0 … 1; default 0. A WAIT at the end of a batch covers writes only
 * @param {RoundPlan['operation']} [options.operation] what every batch does; default set, or what `readRatio` says
 * @param {() => number} options.random draws from [0, 1) @returns {Draw}
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

/**
 * Runs batches on all connections for a while, then waits for those under way.
 * @param {LoadConnection[]} connections none of them busy
 * @param {{seconds?: number, operations?: number, draw: Draw, recorder: Recorder, stop?: AbortSignal}} options batches are started for `seconds`, for
 *   at most `operations`, or until `stop`; default: no limit
 * @returns {Promise<{seconds: number}>} from the first batch's start to the last one's end
 */
export function runClosedLoop(connections, { seconds = Infinity, operations = Infinity, draw, recorder, stop }) {
  const startedAt = new Float64Array(connections.length);
  return new Promise((resolve) => {
    let running = 0;
    let started = 0;
    const begin = performance.now();
    let deadline = begin + seconds * 1000;
    onStop(stop, connections, () => {
      deadline = 0;
    });

    /** @param {number} index @param {number} now */
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
        // A lost connection is not replaced: the errors of the round report it.
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
