/**
 * Nodes that this process does not run: the user's commands, or agents beside the nodes, inject faults into them. Each is a provider; where several
 * can do the same, the first one does it.
 */
import { badInput } from '../errors.js';
import { undoneBy } from './actions.js';

/**
 * @import { UNDOING_ACTIONS } from './actions.js'
 * @import { Action, FaultProvider, Stack } from './types.js'
 */

/**
 * @param {readonly FaultProvider[]} providers
 * @returns {FaultProvider & Required<Pick<FaultProvider, 'slow'>> & {parts: Pick<Stack, 'network' | 'faultsLost' | 'stats' | 'logs' | 'down'>}} parts: of
 *   a stack of such nodes
 */
export function combineFaults(providers) {
  /** @param {Action} action @returns {FaultProvider | undefined} if none can, the first one says why */
  function providerOf(action) {
    const undone = undoneBy(/** @type {(typeof UNDOING_ACTIONS)[number]} */ (action));
    const can = [action, ...undone];
    return providers.find(({ abilities }) => can.some((each) => abilities.some((one) => one === each))) ?? providers[0];
  }

  const network = providers.find((each) => each.network)?.network;
  const lost = providers.flatMap((each) => each.lost ?? []);
  return {
    abilities: [...new Set(providers.flatMap(({ abilities }) => abilities))],
    act: async (id, action) => (providerOf(action)?.act ?? (() => refuse(action)))(id, action),
    slow: providers.find((each) => each.slow)?.slow ?? (async () => refuse('slow the links of')),
    async undo() {
      for (const { undo } of providers) await undo();
    },
    parts: {
      ...(network && { network }),
      ...(lost.length > 0 && { faultsLost: () => AbortSignal.any(lost.map((each) => each())) }),
      stats: async () => refuse('read the resource use of'),
      logs: async () => refuse('read the logs of'),
      down: async () => refuse('take down'),
    },
  };
}

/**
 * @param {string} what a run cannot do to such nodes, such as `kill`
 * @returns {never}
 */
function refuse(what) {
  throw badInput(
    `A run cannot ${what} nodes that it has not started.`,
    'Use --backend local or --backend docker, which start a stack of their own.',
  );
}
