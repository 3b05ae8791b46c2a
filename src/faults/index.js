/** All faults. The conformance suite runs each of them on every backend. */

import { messageOf } from '../errors.js';
import { UNDOING } from '../stacks/actions.js';
import { askNode, nodeOf } from '../stacks/ask.js';
import { readYaml } from '../yaml.js';
import { SENTENCES } from './sentences.js';

export { blockingCommand } from './blocking-command.js';
export { groupPartition, NETWORK } from './group-partition.js';

/**
 * @import { Disturbing, Undoing } from '../stacks/actions.js'
 * @import { Action, LinkShape } from '../stacks/types.js'
 * @import { Fault, Undo } from './types.js'
 */

/** @type {Readonly<Record<string, {what: string, ability?: Disturbing | 'power-loss', undo?: Undoing, next?: Action}>>} */
const LISTED = readYaml(new URL('faults.yaml', import.meta.url));

export const {
  kill,
  lose,
  stop,
  pause,
  partition,
  isolate,
  fill,
  restart,
  'power-loss': powerLoss,
} = Object.fromEntries(Object.keys(LISTED).map((name) => [name, listed(name)]));

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

/** Instead of a node: the links between all nodes. */
export const ALL_LINKS = '*';

/** The links of a node with its peers, or {@link ALL_LINKS}, get slower, none with clients. @param {LinkShape} shape @returns {Fault} */
export function slowLink(shape) {
  return {
    name: 'slow-link',
    what: `has slow links with its peers (${describe(shape)})`,
    needs: [shape.latencyMs + (shape.jitterMs ?? 0) > 0 ? 'slow-link' : 'narrow-link'],
    async inject({ stack, journal }, id) {
      const node = id === ALL_LINKS ? {} : { id };
      const undo = await journal.note({ kind: 'slow', ...node });
      await stack.network.slow(shape, node.id);
      return undo;
    },
  };
}

/** @param {LinkShape} shape */
function describe({ latencyMs, jitterMs, bytesPerSecond }) {
  return [
    `${latencyMs} ms a round trip`,
    ...(jitterMs ? [`±${jitterMs} ms in each direction`] : []),
    ...(bytesPerSecond ? [`${bytesPerSecond} bytes/s`] : []),
  ].join(', ');
}

/** As before maintenance. It resolves when a Sentinel has accepted; the failover goes on after that. */
export const failover = plannedFailover('failover', 'is replaced as the primary (SENTINEL FAILOVER)', ['failover']);

/** Valkey 9.0 and later: the primary holds writes until the replica has all of them, see https://valkey.io/topics/sentinel/. */
export const coordinatedFailover = plannedFailover(
  'coordinated-failover',
  'hands over to a replica (SENTINEL FAILOVER COORDINATED)',
  ['failover', 'coordinated-failover'],
  'COORDINATED',
);

/** @param {string} name @param {string} what @param {Fault['needs']} needs @param {...string} more arguments @returns {Fault} */
function plannedFailover(name, what, needs, ...more) {
  return { name, what, needs, planned: true, inject: (site, id) => askForFailover(site, id, ...more) };
}

/** @type {(site: Parameters<Fault['inject']>[0], id: string, ...more: string[]) => Promise<Undo>} id: the primary, or the Sentinel to ask */
async function askForFailover({ stack }, id, ...more) {
  const asked = nodeOf(stack, id);
  const sentinels = asked.kind === 'sentinel' ? [asked] : stack.nodes.filter(({ kind }) => kind === 'sentinel');
  const refusals = [];
  for (const sentinel of sentinels) {
    try {
      const { masterName } = stack.access;
      await askNode(stack, sentinel.id, (control) => control.call('SENTINEL', 'FAILOVER', masterName, ...more));
      return async () => {};
    } catch (error) {
      refusals.push(`${sentinel.id}: ${messageOf(error)}`);
      // This Sentinel is up and refuses. The others would refuse, too, or begin a second failover.
      if (stack.database.isReplyError(error)) break;
    }
  }
  throw SENTENCES.problem('no-failover', { refusals: refusals.join('; ') });
}
