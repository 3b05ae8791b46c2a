/**
 * Letting the replicas catch up before something is timed.
 */
import { loadClient } from '../client/index.js';

/**
 * What was written before leaves replicas behind. A write that all of them acknowledge says that they caught up, because
 * replication keeps the order.
 *
 * @param {import('./types.js').RoundPlan} plan
 * @throws {Error} they did not within 10 s
 */
export async function drain(plan) {
  if (plan.replicas.length === 0 || plan.readRatio === 1) return;
  const native = await loadClient('native');
  const connection = await native.connect(plan.primary, {
    ...plan.shape,
    payloadBytes: 1,
    pipeline: 1,
    waitReplicas: plan.replicas.length,
    waitLocal: undefined,
    waitTimeoutMs: 10_000,
    habit: 'one-flush',
  });
  let trouble = '';
  connection.onError = (text) => {
    trouble = text;
  };
  await new Promise((resolve) => {
    connection.onBatch = () => resolve(undefined);
    connection.write();
  });
  await connection.close();
  if (connection.waitCount < plan.replicas.length) {
    throw new Error(
      `the replicas did not catch up after the warm-up: ${trouble || `WAIT gave ${connection.waitCount}`}`,
    );
  }
}
