/**
 * Letting the replicas catch up before something is timed.
 */
import { loadClient } from '../clients/index.js';

/**
 * @import { NativeConnection } from '../clients/native-connection.js'
 * @import { RoundPlan } from './types.js'
 */

const DEADLINE_MS = 10_000;

/**
 * What was written before leaves replicas behind, in the warm-up or in the round of another case. Something new that all of
 * them acknowledge says that they caught up, because replication keeps the order.
 *
 * @param {RoundPlan} plan without replicas nothing is done, nor for a load that only reads by `readRatio`:
 *   its user may be allowed nothing else
 * @throws {Error} they did not within 10 s
 */
export async function drain(plan) {
  const { primary, replicas, shape, operation = 'set' } = plan;
  if (replicas.length === 0 || (operation === 'set' && plan.readRatio === 1)) return;
  const native = await loadClient('native');
  const connection = /** @type {NativeConnection} */ (
    await native.connect(primary, {
      ...shape,
      pipeline: 1,
      waitReplicas: replicas.length,
      waitLocal: undefined,
      waitTimeoutMs: DEADLINE_MS,
      habit: 'one-flush',
    })
  );
  let trouble = '';
  connection.onError = (text) => {
    trouble = text;
  };
  try {
    const reached = await (operation === 'set'
      ? writeOne(connection)
      : publish(connection, shape.keyPrefix, replicas.length));
    if (reached < replicas.length) {
      throw new Error(`the replicas did not catch up after the warm-up: ${trouble || `WAIT gave ${reached}`}`);
    }
  } finally {
    await connection.close();
  }
}

/**
 * @param {NativeConnection} connection
 * @returns {Promise<number>} replicas that acknowledged the write
 */
async function writeOne(connection) {
  await new Promise((resolve) => {
    connection.onBatch = () => resolve(undefined);
    connection.write();
  });
  return connection.waitCount;
}

/**
 * For a load that is to leave the data as it is: a message goes the way of the writes, too.
 *
 * @param {NativeConnection} connection
 * @param {string} channel that nobody listens to
 * @param {number} replicas
 */
async function publish(connection, channel, replicas) {
  await connection.request(['PUBLISH', channel, '']);
  return connection.wait(replicas, DEADLINE_MS);
}
