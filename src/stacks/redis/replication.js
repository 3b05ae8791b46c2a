import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../wait.js';
import { problem } from '../texts.js';
import { isReplyError } from './control.js';

/** Making a replica follow a node, and waiting until it is in sync. */
/** @import { Address, Control } from '../types.js' */

const LOOK_MS = 20;
const DEADLINE_MS = 20_000;

/** Redis ignores an order to follow the same address, even if the link died. @param {Control} replica @param {Address} address */
export async function follow(replica, { host, port }) {
  await stopFollowing(replica);
  await replica.call('REPLICAOF', host, port);
}

/** A replica that is loading refuses the order, so it is repeated. @param {Control} replica resolves when it is a primary with its data */
export async function stopFollowing(replica) {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      await replica.call('REPLICAOF', 'NO', 'ONE');
      return;
    } catch (error) {
      const isLoading = isReplyError(error) && error.message.startsWith('LOADING');
      if (!isLoading || performance.now() > deadline) throw error;
    }
    await delay(LOOK_MS);
  }
}

/**
 * Also while it is loading. @param {Control} node
 * @returns bytes: written by a primary, processed by a replica; 0 during a full sync; up: a primary, or a replica whose link is up
 */
export async function readOffset(node) {
  const info = await node.info('replication');
  if (info.role === 'master') return { bytes: Number(info.master_repl_offset), up: true };
  return { bytes: Number(info.slave_repl_offset), up: info.master_link_status === 'up' };
}

/**
 * Waits until the replica has processed all that its primary had at the last look. During writes that may never be the case.
 * @param {Control} primary of the replica; may be a replica itself @param {Control} replica @param {AbortSignal} [signal]
 * @param {number} [deadlineMs] from now @throws {UserError} not in time
 */
export async function untilInSync(primary, replica, signal, deadlineMs = DEADLINE_MS) {
  let state = '';
  const isInSync = async () => {
    // The primary first: the replica's state now is compared with what the primary had before.
    const wanted = await readOffset(primary);
    const { bytes, up } = await readOffset(replica);
    state = up ? `it lacks ${wanted.bytes - bytes} bytes` : 'its link is down';
    return up && bytes >= wanted.bytes;
  };
  if (await waitFor(isInSync, { deadlineMs, pollMs: LOOK_MS, signal })) return;
  throw problem('not-in-sync', { seconds: Math.round(deadlineMs / 1000), state });
}

const CHANNEL = 'sentinel-bench:begin';

/**
 * Waits until writes reach the replica at once: after a diskless sync the primary may hold the stream back for up to a second.
 * @param {Control} primary a real primary; a message is published @param {Control} replica @param {AbortSignal} [signal] @throws {UserError}
 */
export async function untilStreaming(primary, replica, signal) {
  await untilInSync(primary, replica, signal);
  await primary.call('PUBLISH', CHANNEL, '');
  await untilInSync(primary, replica, signal);
}
