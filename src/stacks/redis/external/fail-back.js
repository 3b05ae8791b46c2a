/**
 * A deployment that agents started has most Sentinels beside its last node. While that one is the primary, a partition that takes a replica along
 * promotes nobody. So the Sentinels replace it before the next trial.
 */
import { UserError } from '../../../errors.js';
import { waitFor } from '../../../wait.js';
import { isReplyError } from '../control.js';

/**
 * @import { NodeInfo } from '../../types.js'
 * @import { Members } from '../members.js'
 */

/** A Sentinel refuses until it has seen the replicas as they are now, every 10 s. */
const ACCEPT_MS = 60_000;
const PROMOTE_MS = 60_000;
const POLL_MS = 500;

/**
 * @param {readonly NodeInfo[]} nodes
 * @param {Pick<Members, 'observer' | 'primary' | 'ready'>} members
 * @param {{masterName: string, deadlineMs: number}} options deadlineMs: until all is well again
 * @returns {Promise<void>} the primary has a minority of the Sentinels beside it
 */
export async function failBack(nodes, { observer, primary, ready }, { masterName, deadlineMs }) {
  const sentinels = nodes.filter(({ kind }) => kind === 'sentinel');
  const { id, address } = await primary();
  const beside = sentinels.filter((sentinel) => sentinel.address.host === address.host);
  if (beside.length * 2 < sentinels.length) return;

  async function isAccepted() {
    try {
      await observer.ask(sentinels[0].id, (control) => control.call('SENTINEL', 'FAILOVER', masterName));
      return true;
    } catch (error) {
      if (isReplyError(error)) return false;
      throw error;
    }
  }

  const isReplaced = () =>
    primary().then(
      (now) => now.id !== id,
      () => false,
    );
  const done =
    (await waitFor(isAccepted, { deadlineMs: ACCEPT_MS, pollMs: POLL_MS })) &&
    (await waitFor(isReplaced, { deadlineMs: PROMOTE_MS, pollMs: POLL_MS }));
  if (!done) throw new UserError(`The Sentinels did not replace ${id} as the primary.`, 'Start the run again.');
  await ready({ deadlineMs });
}
