/**
 * Connections that the kernel keeps for a server that was killed: it sends again what the server had sent, and would do so when its packets pass again. A
 * machine that is lost takes that along.
 */

import { waitFor } from '../../../wait.js';
import { formatAddress } from '../../address.js';
import { problem } from '../../texts.js';
import { run } from '../../volume.js';

/** @import { Address } from '../../types.js' */

const GONE_MS = 5000;

/**
 * @param {Address} server IPv4; its process has ended
 * @throws {UserError} there is no `ss`, or the kernel keeps them
 */
export async function forgetConnections(server) {
  const of = ['--tcp', '--numeric', '--no-header', 'src', formatAddress(server)];
  const areGone = async () => {
    await run('ss', ['--kill', ...of]);
    const { status, output } = await run('ss', of);
    return status === 0 && output === '';
  };
  if (await waitFor(areGone, { deadlineMs: GONE_MS })) return;
  throw problem('connections-stay', { address: server });
}
