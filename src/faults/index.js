/**
 * All faults.
 */

import { UserError } from '../errors.js';
import { UNDOING } from '../stacks/actions.js';
import { askNode, nodeOf } from '../stacks/ask.js';

/**
 * @import { Disturbing } from '../stacks/actions.js'
 * @import { Ability, LinkShape } from '../stacks/types.js'
 * @import { Fault } from './types.js'
 */

/**
 * A fault that is one action of the cluster, undone by another.
 *
 * @param {Disturbing} action also the fault's name, and the ability it needs
 * @param {string} what happens to the node
 * @returns {Fault}
 */
export function faultByAction(action, what) {
  return {
    name: action,
    what,
    needs: [action],
    async inject({ cluster, journal }, id) {
      const undo = await journal.note({ kind: 'act', id, action: UNDOING[action] });
      await cluster.act(id, action);
      return undo;
    },
  };
}

/**
 * A node that crashes. Its machine lives on, so what it had handed to the system is still sent.
 */
export const kill = faultByAction('kill', 'ends at once (SIGKILL) and stays away');

/**
 * A node that is shut down: a primary waits for its replicas to catch up before it ends.
 */
export const stop = faultByAction('stop', 'ends in order (SIGTERM) and stays away');

/**
 * A node that hangs: nothing is refused and nothing is answered. As long as it lasts, what was sent waits in its sockets.
 */
export const pause = faultByAction('pause', 'stands still; its sockets stay open');

/**
 * A network split with the clients on the side of the node: where two primaries can be written at once.
 */
export const cut = faultByAction('cut', 'loses its peers; clients still reach it');

/**
 * A network split with nobody on the side of the node.
 */
export const isolate = faultByAction('isolate', 'is cut from its peers and from all clients');

/**
 * A node that crashes and is started again at once, in place, as a supervisor does: often before a Sentinel has noticed.
 *
 * @type {Fault}
 */
export const restart = {
  name: 'restart',
  what: 'ends at once (SIGKILL) and is started again',
  needs: ['kill'],
  async inject({ cluster, journal }, id) {
    const undo = await journal.note({ kind: 'act', id, action: 'start' });
    await cluster.act(id, 'kill');
    await cluster.act(id, 'start');
    return undo;
  },
};

/** In place of a node: the links between all of them. */
export const ALL_LINKS = '*';

/**
 * Distance, or a bad line: the links of a node with its peers get slower, those with clients do not.
 *
 * @param {LinkShape} shape
 * @returns {Fault} injected to a node, or to {@link ALL_LINKS}; undone, the links are as fast as they are
 */
export function slowLink(shape) {
  return Object.freeze({
    name: 'slow-link',
    what: `has slow links with its peers (${describe(shape)})`,
    needs: /** @type {Ability[]} */ (['slow-link']),
    /** @type {Fault['inject']} */
    async inject({ cluster, journal }, id) {
      const node = id === ALL_LINKS ? {} : { id };
      const undo = await journal.note({ kind: 'slow', ...node });
      await cluster.slow(shape, node.id);
      return undo;
    },
  });
}

/** @param {LinkShape} shape */
function describe({ latencyMs, jitterMs, bytesPerSecond }) {
  return [
    `${latencyMs} ms a round trip`,
    ...(jitterMs ? [`±${jitterMs} ms in each direction`] : []),
    ...(bytesPerSecond ? [`${bytesPerSecond} bytes/s`] : []),
  ].join(', ');
}

/** What a node needs to answer once the pause is over. */
const SLACK_MS = 3000;

/**
 * `CLIENT PAUSE`: the node holds back what clients send (mode ALL: everything, also what Sentinels and we ask; WRITE: only
 * what changes data), and answers it afterwards. It ends by itself. A pause of mode ALL also holds back the UNPAUSE that
 * would end it: undoing it means waiting for its end.
 *
 * @param {number} ms ≥ 1
 * @param {'WRITE' | 'ALL'} mode
 * @returns {Fault}
 */
export function clientPause(ms, mode) {
  return Object.freeze({
    name: 'client-pause',
    what: `holds back ${mode === 'ALL' ? 'every command' : 'writes'} for ${ms} ms (CLIENT PAUSE)`,
    needs: [],
    /** @type {Fault['inject']} */
    async inject({ cluster, journal }, id) {
      const undo = await journal.note({
        kind: 'call',
        id,
        command: ['CLIENT', 'UNPAUSE'],
        ...(mode === 'ALL' && { withinMs: ms + SLACK_MS }),
      });
      await askNode(cluster, id, (control) => control.call('CLIENT', 'PAUSE', ms, mode));
      return undo;
    },
  });
}

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
        if (cluster.system.isReplyError(error)) break;
      }
    }
    throw new UserError(
      `No Sentinel began a failover (${refusals.join('; ')}).`,
      'Heal the stack with `sentinel-bench recover`, and see with `sentinel-bench status` that each replica is in sync.',
    );
  },
};
