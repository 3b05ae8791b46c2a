/**
 * Lets the replicas catch up before the timed part.
 * @import { NativeConnection } from '../clients/native.js'
 * @import { RoundPlan } from './types.js'
 */
import { loadClient, writeBatch } from '../clients/index.js';

const DEADLINE_MS = 10_000;

/**
 * The warm-up or the round of another case may have left replicas behind. Replication keeps the order, so once all of them acknowledge
 * something new they have caught up.
 * @param {RoundPlan} plan does nothing without replicas, or if `readRatio` is 1: the user may lack permission to write
 * @throws {Error} the replicas did not catch up within 10 s
 */
export async function drain(plan) {
  const drainage = await openDrain(plan);
  await drainage.drain().finally(drainage.close);
}

/** As {@link drain}, for several times, with a connection of its own. @param {RoundPlan} plan */
export async function openDrain(plan) {
  const { primary, replicas, shape, operation = 'set' } = plan;
  if (replicas.length === 0 || (operation === 'set' && plan.readRatio === 1)) {
    return { drain: async () => {}, close: async () => {} };
  }
  const native = await loadClient('native');
  const connection = /** @type {NativeConnection} */ (
    await native.connect(primary, {
      ...shape,
      pipeline: 1,
      waitReplicas: replicas.length,
      waitLocal: undefined,
      waitTimeoutMs: DEADLINE_MS,
      waitMode: 'pipelined',
    })
  );
  let trouble = '';
  connection.onError = (text) => {
    trouble = text;
  };
  return {
    async drain() {
      if (operation === 'set') await writeBatch(connection);
      // For a load that must not change the data: a message is replicated like a write.
      else await connection.request(['PUBLISH', shape.keyPrefix, '']);
      const reached = operation === 'set' ? connection.waitCount : await connection.wait(replicas.length, DEADLINE_MS);
      if (reached < replicas.length) {
        throw new Error(`the replicas did not catch up after the warm-up: ${trouble || `WAIT gave ${reached}`}`);
      }
    },
    close: () => connection.close(),
  };
}
