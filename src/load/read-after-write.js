/**
 * Reads that race a write. When a write is acknowledged (with WAIT: by as many replicas as asked for), the key is read on every replica in
 * the same turn of the event loop. A read that does not show the write is stale. It is repeated until it does. A WAIT for all replicas
 * shows whether one would have helped. Writes with another outcome are counted and not read.
 * @import { LoadConnection } from '../clients/types.js'
 * @import { Recorder } from './recorder.js'
 * @import { RoundSample } from './types.js'
 * @typedef {NonNullable<RoundSample['consistency']>} ReadCounts
 */
import { writeBatch } from '../clients/index.js';
import { Outcome } from '../clients/types.js';
import { once } from '../once.js';
import { NS_A_MS } from '../units.js';

/** Each written value is its sequence number, of this many digits. */
export const SEQUENCE_DIGITS = 12;

/** A replica that does not show a write for this long is cut off, rather than late. */
const GIVE_UP_MS = 2000;

/**
 * @param {Object} options @param {LoadConnection[]} options.writers pipeline of 1, payload of {@link SEQUENCE_DIGITS} bytes
 * @param {LoadConnection[][]} options.readers for each writer, a connection to each replica @param {number} options.seconds
 * @param {number} options.keyspace for each writer
 * @param {Recorder} options.recorder its histogram takes how long stale reads stayed stale: from the write's completion to the first reply
 *   that shows it
 */
export async function runReadAfterWrite({ writers, readers, seconds, keyspace, recorder }) {
  /** @type {ReadCounts} */
  const consistency = { reads: 0, immediate: 0, afterWait: 0, stale: 0 };
  const begin = performance.now();
  const deadline = begin + seconds * 1000;

  const writing = writers.map(async (writer, index) => {
    // No other writer has these keys, so a read must show exactly this writer's last value.
    const firstKey = index * keyspace;
    const replicas = readers[index];
    writer.onError = (text) => recorder.error(text);
    for (let sequence = 0; performance.now() < deadline && !writer.lost; sequence++) {
      const key = firstKey + (sequence % keyspace);
      const value = String(sequence).padStart(SEQUENCE_DIGITS, '0');
      writer.keys[0] = key;
      writer.setValue(value);
      await writeBatch(writer);
      const completedAt = performance.now();
      recorder.count(writer);
      // After a WAIT that counted too few replicas, none of them has to show the write.
      if (writer.outcomes[0] !== Outcome.acked) continue;
      // One WAIT for all replicas, sent at the first stale read.
      const waitForAll = once(async () => (await writer.wait(replicas.length, GIVE_UP_MS)) >= replicas.length);
      await Promise.all(
        replicas.map(async (reader) => {
          consistency.reads++;
          if ((await reader.read(key)) === value) {
            consistency.immediate++;
            return;
          }
          const becameFresh = await repeatRead({ reader, key, value, completedAt, waitForAll, recorder });
          consistency[becameFresh ? 'afterWait' : 'stale']++;
        }),
      );
    }
  });
  await Promise.all(writing);
  return { seconds: (performance.now() - begin) / 1000, consistency };
}

/**
 * Reads again and again until the value is there.
 * @param {{reader: LoadConnection, key: number, value: string, completedAt: number, waitForAll: () => Promise<boolean>, recorder: Recorder}} race
 * @returns {Promise<boolean>} a read that began after WAIT reached all replicas showed the value, or an earlier one did
 */
async function repeatRead({ reader, key, value, completedAt, waitForAll, recorder }) {
  let waitEnded = false;
  const waiting = waitForAll().then((reached) => {
    waitEnded = true;
    return reached;
  });
  let staleAfterWait = false;
  for (;;) {
    const begunAfterWait = waitEnded;
    const seen = (await reader.read(key)) === value;
    const stale = performance.now() - completedAt;
    if (!seen && begunAfterWait) staleAfterWait = true;
    if (seen || stale > GIVE_UP_MS) {
      recorder.histogram.recordValue(Math.round(stale * NS_A_MS));
      return (await waiting) && seen && !staleAfterWait;
    }
  }
}
