/**
 * A native writer whose connections pass through HAProxy. It asks no Sentinel: HAProxy decides which node it reaches.
 */
import { LOOPBACK } from '../../stacks/address.js';
import { freePort } from '../../stacks/ports.js';
import { startHaproxy } from './haproxy.js';
import { createWriter as createNativeWriter } from './native-writer.js';

/** @type {import('./index.js').CreateWriter} */
export async function createWriter(plan, trial) {
  const port = await freePort();
  const address = { host: LOOPBACK, port };
  const nodes = [{ id: 'haproxy', address, announced: address }];
  const inner = createNativeWriter(
    plan,
    { ...trial, sentinels: [], nodes },
    { failoverAware: false, behindProxy: true },
  );
  /** @type {ReturnType<typeof startHaproxy> | undefined} */
  let proxy;
  return {
    ...inner,
    async open() {
      proxy = startHaproxy(trial.nodes, port);
      await Promise.race([inner.open(), proxy.ended]);
    },
    async close() {
      await inner.close();
      await proxy?.end();
    },
  };
}
