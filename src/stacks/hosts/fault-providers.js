/** Faults of nodes that this process does not run, by the user's commands or by agents. The first provider that can do one does it. */
/** @import { Undoing } from '../actions.js' */
/** @import { Action, FaultProvider, NodeHost } from '../types.js' */
import { undoneBy } from '../actions.js';
import { problem } from '../texts.js';

/** @param {readonly FaultProvider[]} providers @returns what a `Backend` of such nodes has, except `about` and `nodes` */
export function combineFaults(providers) {
  /** @param {Action} action @returns {FaultProvider | undefined} if none can, the first one says why */
  function providerOf(action) {
    const can = /** @type {string[]} */ ([action, ...undoneBy(/** @type {Undoing} */ (action))]);
    return providers.find(({ abilities }) => abilities.some((each) => can.includes(each))) ?? providers[0];
  }

  const lost = providers.flatMap((each) => each.lost ?? []);
  /** @type {NodeHost} */
  const host = {
    act: async (id, action) => (providerOf(action)?.act ?? (() => refuse(action)))(id, action),
    stats: async () => refuse('read the resource use of'),
    logs: async () => refuse('read the logs of'),
    ...(lost.length > 0 && { faultsLost: () => AbortSignal.any(lost.map((each) => each())) }),
  };
  return {
    can: [...new Set(providers.flatMap(({ abilities }) => abilities))],
    host,
    network: {
      slow: providers.find((each) => each.slow)?.slow ?? (async () => refuse('slow the links of')),
      groups: providers.find((each) => each.network)?.network ?? null,
    },
    async revive() {
      for (const { undo } of providers) await undo();
    },
    remove: async () => refuse('take down'),
  };
}

/** @param {string} what such as `kill` @returns {never} */
function refuse(what) {
  throw problem('not-our-nodes', { what });
}
