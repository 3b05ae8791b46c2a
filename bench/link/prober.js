/**
 * A writer of its own that asks WAIT 1 after each write: how long a write takes that is to be on a replica.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { errorKind } from '../client/outcome.js';
import { connectControl, loginFor } from '../cluster/control.js';
import { messageOf } from '../errors.js';
import { latencyOf, newHistogram } from '../measure/histogram.js';

/** An answer takes no longer than WAIT's own time limit, unless the node or this process is busy for so long. */
const GRACE_MS = 5000;
const NS_A_MS = 1e6;

/**
 * @typedef {NonNullable<import('../report/schema.js').LinkFigures['waits']>} Waits
 *
 * @typedef {Object} Prober
 * @property {() => Promise<{waits: Waits, errors: Record<string, number>}>} stop no probe leaves any more; resolves when the last one
 *   is answered; errors: how often each kind was seen. Idempotent
 * @property {() => void} close idempotent; ends it at once
 */

/**
 * One at a time: the next is due a while after the last one was, or as soon as that is answered.
 *
 * @param {import('../cluster/types.js').Address} address of the primary
 * @param {{key: string, everyMs: number, timeoutMs: number, credentials?: import('../cluster/types.js').Credentials}} options
 *   key: that it writes, over and over; timeoutMs: of WAIT
 * @returns {Promise<Prober>} has begun
 */
export async function startWaitProber(address, { key, everyMs, timeoutMs, credentials = {} }) {
  const control = await connectControl(address, loginFor(credentials, 'redis'), { timeoutMs: timeoutMs + GRACE_MS });
  const stopping = new AbortController();
  const histogram = newHistogram();
  /** @type {Record<string, number>} */
  const errors = {};
  let [asked, reached] = [0, 0];

  async function probe() {
    const begins = performance.now();
    asked++;
    try {
      // Both leave at once, in this order.
      const [, replicas] = await Promise.all([control.call('SET', key, asked), control.call('WAIT', 1, timeoutMs)]);
      if (Number(replicas) >= 1) reached++;
    } catch (error) {
      const kind = errorKind(messageOf(error));
      errors[kind] = (errors[kind] ?? 0) + 1;
    }
    histogram.recordValue(Math.round((performance.now() - begins) * NS_A_MS));
  }

  async function goOn() {
    for (let due = performance.now(); !stopping.signal.aborted; due = Math.max(due + everyMs, performance.now())) {
      await delay(Math.max(0, due - performance.now()), undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      await probe();
    }
  }
  const going = goOn();

  return {
    async stop() {
      stopping.abort();
      await going;
      control.close();
      const { p50, p99, max } = latencyOf(histogram);
      return { waits: { asked, reached, timeoutMs, latencyNs: { p50, p99, max } }, errors };
    },
    close() {
      stopping.abort();
      control.close();
    },
  };
}
