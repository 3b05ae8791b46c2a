/** All faults, see `Fault` in types.js. The conformance suite runs each of them on every backend. */

import { UNDOING } from '../stacks/actions.js';
import { askNode, nodeOf } from '../stacks/ask.js';
import { readYaml } from '../yaml.js';
import { SENTENCES } from './sentences.js';

export { blockingCommand } from './blocking-command.js';
export { groupPartition, NETWORK } from './group-partition.js';

/**
 * @import { Disturbing, Undoing } from '../stacks/actions.js'
 * @import { Ability, Action, LinkShape } from '../stacks/types.js'
 * @import { Fault, Site, Undo } from './types.js'
 */

/** @type {Readonly<Record<string, {what: string, ability?: Disturbing | 'power-loss', undo?: Undoing, next?: Action}>>} */
const LISTED = readYaml(new URL('faults.yaml', import.meta.url));

/** @param {string} name one of those in faults.yaml @returns {Fault} */
function listed(name) {
  const { what, ability = /** @type {Disturbing | 'power-loss'} */ (name), undo, next } = LISTED[name];
  const action = undo ?? UNDOING[/** @type {Disturbing} */ (ability)];
  return {
    name,
    what,
    needs: [ability],
    async inject({ stack, journal }, id) {
      const undone = await journal.note({ kind: 'act', id, action });
      await stack.host.act(id, ability);
      if (next) await stack.host.act(id, next);
      return undone;
    },
  };
}

/** The process crashes. Its machine goes on, so the kernel still sends what the process had given it. */
export const kill = listed('kill');

/**
 * The process and its machine are gone at once. What the machine had sent and its peers had not received is gone, too. On loopback
 * hardly anything is under way; slower links show more.
 */
export const lose = listed('lose');

/** The process is shut down. A primary waits for its replicas to catch up before it ends. */
export const stop = listed('stop');

/** The process hangs: it neither refuses nor answers anything. Data sent to it waits in its sockets. */
export const pause = listed('pause');

/** A partition between the node and its peers. Clients still reach the node, so two primaries may accept writes. */
export const partition = listed('partition');

export const isolate = listed('isolate');

/** No room is left on the disk of the node. It needs a disk of its own, so that nothing else lacks room. */
export const fill = listed('fill');

/** The process crashes and is restarted at once, as by a supervisor, often before a Sentinel notices. */
export const restart = listed('restart');

/**
 * A machine loses power, and its disk loses what it has confirmed but not written: the processes of the node and the cache of its disk are
 * gone in the same instant. Undone, the node starts from what was flushed. Its Sentinels' configuration is not on that disk.
 */
export const powerLoss = listed('power-loss');

/** Instead of a node: the links between all nodes. */
export const ALL_LINKS = '*';

/**
 * Distance or a bad line: the links between a node and its peers get slower, the links with clients do not.
 * @param {LinkShape} shape
 * @returns {Fault} injected into a node or {@link ALL_LINKS}
 */
export function slowLink(shape) {
  return Object.freeze({
    name: 'slow-link',
    what: `has slow links with its peers (${describe(shape)})`,
    needs: /** @type {Ability[]} */ (isDelayed(shape) ? ['slow-link'] : ['narrow-link']),
    /** @type {Fault['inject']} */
    async inject({ stack, journal }, id) {
      const node = id === ALL_LINKS ? {} : { id };
      const undo = await journal.note({ kind: 'slow', ...node });
      await stack.network.slow(shape, node.id);
      return undo;
    },
  });
}

/** @param {LinkShape} shape */
function isDelayed({ latencyMs, jitterMs = 0 }) {
  return latencyMs + jitterMs > 0;
}

/** @param {LinkShape} shape */
function describe({ latencyMs, jitterMs, bytesPerSecond }) {
  return [
    `${latencyMs} ms a round trip`,
    ...(jitterMs ? [`±${jitterMs} ms in each direction`] : []),
    ...(bytesPerSecond ? [`${bytesPerSecond} bytes/s`] : []),
  ].join(', ');
}

/**
 * A planned failover, as before maintenance: a Sentinel promotes a replica of a healthy deployment (`SENTINEL FAILOVER`).
 * It resolves when a Sentinel has accepted; the failover goes on after that. There is nothing to undo: the new roles stay.
 * @type {Fault}
 */
export const failover = {
  name: 'failover',
  what: 'is replaced as the primary (SENTINEL FAILOVER)',
  needs: ['failover'],
  planned: true,
  inject: (site, id) => askForFailover(site, id),
};

/**
 * The same with the argument COORDINATED (Valkey 9.0 and later): the Sentinel has the primary hand over (`FAILOVER`). The primary holds
 * writes until the replica has all of them, and becomes its replica (https://valkey.io/topics/sentinel/).
 * @type {Fault}
 */
export const coordinatedFailover = {
  name: 'coordinated-failover',
  what: 'hands over to a replica (SENTINEL FAILOVER COORDINATED)',
  needs: ['failover', 'coordinated-failover'],
  planned: true,
  inject: (site, id) => askForFailover(site, id, 'COORDINATED'),
};

/**
 * @param {Site} site
 * @param {string} id of the primary, or of the Sentinel to ask
 * @param {...string} more arguments of SENTINEL FAILOVER
 * @returns {Promise<Undo>}
 */
async function askForFailover({ stack }, id, ...more) {
  const { kind } = nodeOf(stack, id);
  const sentinels =
    kind === 'sentinel' ? [id] : stack.nodes.filter((node) => node.kind === 'sentinel').map((node) => node.id);
  const refusals = [];
  for (const sentinel of sentinels) {
    try {
      await askNode(stack, sentinel, (control) =>
        control.call('SENTINEL', 'FAILOVER', stack.access.masterName, ...more),
      );
      return async () => {};
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      refusals.push(`${sentinel}: ${message}`);
      // This Sentinel is up and refuses. The others would refuse, too, or begin a second failover.
      if (stack.database.isReplyError(error)) break;
    }
  }
  throw SENTENCES.problem('no-failover', { refusals: refusals.join('; ') });
}
