/**
 * A separate writer that sends WAIT 1 after each write, and measures both.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { errorKind } from '../../src/clients/outcome.js';
import { messageOf } from '../../src/errors.js';
import { connectControl, loginFor } from '../../src/stacks/redis/control.js';
import { latencyOf, newHistogram } from '../../src/stats/histogram.js';

/**
 * @import { LinkFigures } from '../../src/result/schema.js'
 * @import { Address, Credentials } from '../../src/stacks/types.js'
 */

/** Beyond WAIT's own timeout: a node or this process may be busy. */
const GRACE_MS = 5000;
const NS_A_MS = 1e6;

/**
 * @typedef {NonNullable<LinkFigures['waits']>} Waits
 *
 * @typedef {Object} Prober
 * @property {() => Promise<{waits: Waits, errors: Record<string, number>}>} stop sends no more probes and resolves when the last
 *   one is answered; errors: number of each kind. Idempotent
 * @property {() => void} close idempotent; ends it at once
 */

/**
 * One probe at a time: the next leaves at its time, or when the one before was answered.
 *
 * @param {Address} address of the primary
 * @param {{key: string, everyMs: number, timeoutMs: number, credentials?: Credentials}} options
 *   key: written over and over; timeoutMs: of WAIT
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
