/**
 * Who injects faults into nodes that this process does not run: the user's commands, or agents beside the nodes. Each is a provider; where several can
 * do the same, the first one does it.
 */
import { undoneBy } from './actions.js';

/**
 * @import { UNDOING_ACTIONS } from './actions.js'
 * @import { Action, FaultProvider } from './types.js'
 */

/**
 * @param {readonly FaultProvider[]} providers
 * @param {(action: Action) => never} refuse what none of them can
 * @returns {FaultProvider}
 */
export function combineFaults(providers, refuse) {
  /** @param {Action} action @returns {FaultProvider | undefined} if none can, the first one says why */
  function providerOf(action) {
    const undone = undoneBy(/** @type {(typeof UNDOING_ACTIONS)[number]} */ (action));
    const can = [action, ...undone];
    return providers.find(({ abilities }) => can.some((each) => abilities.some((one) => one === each))) ?? providers[0];
  }

  const network = providers.find((each) => each.network)?.network;
  const slow = providers.find((each) => each.slow)?.slow;
  const lost = providers.flatMap((each) => each.lost ?? []);
  return {
    abilities: [...new Set(providers.flatMap(({ abilities }) => abilities))],
    act: async (id, action) => (providerOf(action)?.act ?? (() => refuse(action)))(id, action),
    ...(network && { network }),
    ...(slow && { slow }),
    ...(lost.length > 0 && { lost: () => AbortSignal.any(lost.map((each) => each())) }),
    async undo() {
      for (const { undo } of providers) await undo();
    },
  };
}
