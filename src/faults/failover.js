import { UserError } from '../errors.js';
import { isReplyError } from '../stacks/redis/control.js';
import { askNode, nodeOf } from './ask.js';

/** @import { Fault } from './types.js' */

/**
 * A planned failover, as before maintenance: a Sentinel is told to promote a replica though nothing is wrong. It resolves
 * when a Sentinel has accepted; the failover itself goes on after that. There is nothing to undo: the roles stay as they
 * come out.
 *
 * @type {Fault}
 */
export const failover = {
  name: 'failover',
  what: 'is replaced as the primary (SENTINEL FAILOVER)',
  needs: ['failover'],
  async inject({ cluster }, id) {
    const { kind } = nodeOf(cluster, id);
    const sentinels =
      kind === 'sentinel' ? [id] : cluster.nodes.filter((node) => node.kind === 'sentinel').map((node) => node.id);
    const refusals = [];
    for (const sentinel of sentinels) {
      try {
        await askNode(cluster, sentinel, (control) => control.call('SENTINEL', 'FAILOVER', cluster.masterName));
        return async () => {};
      } catch (error) {
        const { message } = /** @type {Error} */ (error);
        refusals.push(`${sentinel}: ${message}`);
        // That one is up, and says no: so would the others, or they would begin a second failover.
        if (isReplyError(error)) break;
      }
    }
    throw new UserError(
      `No Sentinel began a failover (${refusals.join('; ')}).`,
      'Heal the stack with `sentinel-bench recover`, and see with `sentinel-bench status` that each replica is in sync.',
    );
  },
};
