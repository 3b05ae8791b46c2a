/**
 * A native writer that connects to the virtual IP address of the primary. It asks no Sentinel, and keeps a connection until it gets an error.
 */
import { createWriter as createNativeWriter } from './native-writer.js';

/** @type {import('./index.js').CreateWriter} */
export async function createWriter(plan, trial) {
  const address = trial.virtualAddress;
  if (!address) throw new Error('this stack has no virtual address');
  const nodes = [{ id: 'virtual-address', address, announced: address }];
  return createNativeWriter(plan, { ...trial, sentinels: [], nodes }, { failoverAware: false, behindProxy: true });
}
