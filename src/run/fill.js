/**
 * Writing a set of keys once each, as fast as one connection goes: what a load that reads finds.
 */
import { loadClient } from '../client/index.js';
import { Outcome } from '../client/types.js';
import { untilAborted } from './interruption.js';

const BATCH = 500;
/** A batch's values together stay below this. */
const MOST_BATCH_BYTES = 4 * 1024 * 1024;

/**
 * @param {import('../client/types.js').Target} target
 * @param {Object} options
 * @param {string} options.keyPrefix
 * @param {number} options.count keys `0 … count - 1` are written
 * @param {number} options.payloadBytes
 * @param {AbortSignal} options.signal
 * @throws {Error} a write was not answered OK
 */
export async function fillKeys(target, { keyPrefix, count, payloadBytes, signal }) {
  const pipeline = Math.max(1, Math.min(BATCH, count, Math.floor(MOST_BATCH_BYTES / payloadBytes)));
  const native = await loadClient('native');
  const connection = await native.connect(target, {
    payloadBytes,
    pipeline,
    waitReplicas: 0,
    waitTimeoutMs: 1,
    habit: 'one-flush',
    keyPrefix,
  });
  let trouble = '';
  connection.onError = (text) => {
    trouble ||= text;
  };
  try {
    for (let first = 0; first < count; first += pipeline) {
      // The last batch goes over the end: it writes the last keys again instead.
      const start = Math.min(first, count - pipeline);
      for (let i = 0; i < pipeline; i++) connection.keys[i] = start + i;
      const written = new Promise((resolve) => {
        connection.onBatch = () => resolve(undefined);
      });
      connection.write();
      await untilAborted(written, signal);
      if (connection.outcomes.some((outcome) => outcome !== Outcome.acked)) {
        throw new Error(`the keys to read could not be written: ${trouble}`);
      }
    }
  } finally {
    await connection.close();
  }
}
