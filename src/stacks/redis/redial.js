import { connectControl } from './control.js';

/** @import { Address } from '../types.js' */

/**
 * A replica that dialled its primary while it was cut sits in an attempt that nobody answers, for up to repl-timeout (60 s),
 * and in a container from an address on the wrong network. REPLICAOF to somewhere else and back ends that attempt,
 * keeps the data and the offset, and starts a new one at once. A link that is up is left alone.
 *
 * @param {Address} address
 */
export async function redial(address) {
  const control = await connectControl(address);
  try {
    const info = await control.info('replication');
    if (info.role !== 'slave' || info.master_link_status === 'up') return;
    await control.call('MULTI');
    await control.call('REPLICAOF', info.master_host, 1);
    await control.call('REPLICAOF', info.master_host, info.master_port);
    await control.call('EXEC');
  } finally {
    control.close();
  }
}
