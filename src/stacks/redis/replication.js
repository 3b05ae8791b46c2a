/**
 * Telling a replica whom to follow, and waiting until it has all there is.
 */
import { UserError } from '../../errors.js';
import { waitFor } from '../../wait.js';
import { isReplyError } from './control.js';

/**
 * @import { Control } from './control.js'
 * @import { Address } from '../types.js'
 */

/** Between two looks. */
const LOOK_MS = 20;
/** For a full sync of what a round left, and a link that was lost being dialled again once a second. */
const DEADLINE_MS = 20_000;

/**
 * Nobody is followed for a moment first: Redis takes no notice of being told to follow the address that it follows already, and what
 * carried it may have died.
 *
 * @param {Control} replica
 * @param {Address} address as the replica dials it
 */
export async function follow(replica, { host, port }) {
  await followNobody(replica);
  await replica.call('REPLICAOF', host, port);
}

/**
 * A replica that loads what it was sent takes no orders before it has: it is told again until then.
 *
 * @param {Control} replica is a primary when this resolves, with what it has
 */
export async function followNobody(replica) {
  /** @type {unknown} */
  let refusal;
  const told = await waitFor(
    async () => {
      try {
        await replica.call('REPLICAOF', 'NO', 'ONE');
        return true;
      } catch (error) {
        if (!isReplyError(error) || !error.message.startsWith('LOADING')) throw error;
        refusal = error;
        return false;
      }
    },
    { deadlineMs: DEADLINE_MS, pollMs: LOOK_MS },
  );
  if (!told) throw refusal;
}

/**
 * @typedef {Object} Offset how far a node has got in the replication stream
 * @property {number} bytes of a primary: written; of a replica: processed. Of a replica that is being sent the whole data set: 0
 * @property {boolean} up a primary, or a replica whose link is up
 */

/**
 * @param {Control} node
 * @returns {Promise<Offset>} of a node that loads a data set, too: its link is not up
 */
export async function readOffset(node) {
  const info = await node.info('replication');
  if (info.role === 'master') return { bytes: Number(info.master_repl_offset), up: true };
  return { bytes: Number(info.slave_repl_offset), up: info.master_link_status === 'up' };
}

/**
 * Waits until the replica has processed all that the node it follows had when it was last asked. While writes go on that moment may
 * never come.
 *
 * @param {Control} primary whom the replica follows: a primary, or a replica
 * @param {Control} replica
 * @param {AbortSignal} [signal]
 * @param {number} [deadlineMs] from now; default 20 s
 * @throws {UserError} not by then
 */
export async function untilInSync(primary, replica, signal, deadlineMs = DEADLINE_MS) {
  let state = '';
  const inSync = await waitFor(
    async () => {
      // The primary first: the replica's state now is compared with what the primary had before.
      const wanted = await readOffset(primary);
      const { bytes, up } = await readOffset(replica);
      state = up ? `it lacks ${wanted.bytes - bytes} bytes` : 'its link is down';
      return up && bytes >= wanted.bytes;
    },
    { deadlineMs, pollMs: LOOK_MS, signal },
  );
  if (inSync) return;
  throw new UserError(
    `A replica was not in sync within ${Math.round(deadlineMs / 1000)} s: ${state}.`,
    'Look at its log, or try again when the machine is less busy.',
  );
}

/** Told to nobody who listens. */
const CHANNEL = 'sentinel-bench:begin';

/**
 * Waits until what is written reaches the replica at once. In sync it can be before that: a primary that sends its data set without a
 * file may keep the stream back until the replica has reported once more, which is up to a second later, and what is measured from
 * that moment on would begin with that second.
 *
 * @param {Control} primary not a replica; its stream grows by a message, no key is written
 * @param {Control} replica
 * @param {AbortSignal} [signal]
 * @throws {UserError} not within 20 s
 */
export async function untilStreaming(primary, replica, signal) {
  await untilInSync(primary, replica, signal);
  await primary.call('PUBLISH', CHANNEL, '');
  await untilInSync(primary, replica, signal);
}
