import { connect } from 'node:net';

/**
 * @param {import('../types.js').Address} address @param {number} timeoutMs
 * @returns {Promise<string | null>} why no connection came about, such as `ECONNREFUSED`; null: it did
 */
export function probe(address, timeoutMs) {
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (/** @type {string | null} */ outcome) => {
      socket.destroy();
      resolve(outcome);
    };
    // An address without a host does not refuse.
    socket.setTimeout(timeoutMs, () => end('ETIMEDOUT'));
    socket.once('connect', () => end(null));
    socket.once('error', (/** @type {NodeJS.ErrnoException} */ error) => end(error.code ?? error.message));
  });
}

/** @param {() => Promise<{close: () => unknown}>} connectTo @returns a connection could be made; it is closed again */
export async function answers(connectTo) {
  try {
    await (await connectTo()).close();
    return true;
  } catch {
    return false;
  }
}
