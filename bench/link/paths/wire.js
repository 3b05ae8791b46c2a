/**
 * The wire between both ends of a path: counts the bytes, and slows them when asked to. It runs in a thread of its own and ends
 * with this process.
 */
import { LOOPBACK } from '../../../src/stacks/address.js';
import { checkShape } from '../../../src/stacks/relay/relay.js';
import { startWorker } from '../../../src/worker-thread.js';

/**
 * @import { Address, LinkShape } from '../../../src/stacks/types.js'
 * @import { Counts, Order } from './wire-thread.js'
 */

/**
 * @typedef {Object} Meter
 * @property {Address} address what the replica's end dials
 * @property {(shape: LinkShape | null) => Promise<void>} shape in force when it resolves; null: unlimited
 * @property {() => Promise<Counts>} counts since it was started
 * @property {() => Promise<void>} cut nothing passes any more and waiting bytes are lost, but no socket is closed; for good
 * @property {(on: boolean) => Promise<void>} dark true: nothing passes any more, and no socket is closed; false: what waits passes, and
 *   the rest. Not after a cut
 * @property {() => Promise<void>} close breaks all connections; idempotent
 */

/**
 * @param {Address} to where the wire leads
 * @returns {Promise<Meter>}
 */
export async function startMeter(to) {
  const thread = startWorker(new URL('./wire-thread.js', import.meta.url), { name: 'the wire’s thread', data: { to } });
  /** @param {Order} order @returns {Promise<{port: number, counts: Counts}>} */
  const ask = (order) => thread.ask(order);
  const { port } = await ask({});
  return {
    address: Object.freeze({ host: LOOPBACK, port }),
    async shape(shape) {
      if (shape) checkShape(shape);
      await ask({ shape });
    },
    counts: async () => (await ask({})).counts,
    async cut() {
      await ask({ cut: true });
    },
    async dark(on) {
      await ask({ dark: on });
    },
    close: () => thread.close(),
  };
}
