/** The disks of one stack whose power can be cut. Nodes without one have their files where they always are. */
/** @import { Ability, Action } from '../types.js' */
/** @import { VolatileDisk } from './volatile-disk.js' */
/** @typedef {ReturnType<typeof disksOf>} Disks */
import { readdirSync } from 'node:fs';
import { problem } from '../texts.js';
import { startVolatileDisk } from './volatile-disk.js';

export const LOST_AND_FOUND = 'lost+found';

/**
 * @param {readonly string[]} ids of the nodes that get one @param {Parameters<typeof startVolatileDisk>[0]} [options]
 * @throws {UserError} this machine cannot make such disks; nothing is left then
 */
export async function startDisks(ids, options = {}) {
  const disks = /** @type {Map<string, VolatileDisk>} */ (new Map());
  const contained = options.kind === 'contained';
  try {
    for (const id of ids) disks.set(id, await startVolatileDisk(options));
  } catch (error) {
    await disksOf(disks, contained).close();
    throw error;
  }
  return disksOf(disks, contained);
}

/** @param {ReadonlyMap<string, VolatileDisk>} disks id of a node → its own disk @param {boolean} [contained] */
function disksOf(disks, contained = false) {
  return {
    list: [...disks].map(([id, disk]) => ({ id, disk })),
    can: /** @type {readonly Ability[]} */ (disks.size > 0 ? ['power-loss', 'fill'] : []),
    /**
     * Does what the action means for the node's disk, and the rest by `onNode`.
     * @param {string} id @param {Action} action @param {(action: Action) => Promise<void>} onNode
     */
    async act(id, action, onNode) {
      const disk = disks.get(id);
      if (action === 'fill' || action === 'free' || action === 'power-loss') {
        if (!disk) throw problem('no-own-disk', { id });
        await (action === 'power-loss' ? cutPower(disk, onNode, contained) : disk[action]());
        return;
      }
      if (action === 'start') await disk?.restorePower();
      await onNode(action);
    },
    async close() {
      for (const disk of disks.values()) await disk.close();
    },
  };
}

export const NO_DISKS = Object.freeze(disksOf(new Map()));

/** @param {VolatileDisk} disk @param {(action: Action) => Promise<void>} onNode @param {boolean} contained */
async function cutPower(disk, onNode, contained) {
  if (!contained) return disk.cutPower(() => onNode('power-loss'));
  // An engine takes a while to kill. Frozen first, the node confirms no write that its disk cannot have.
  await onNode('pause');
  await disk.cutPower(() => onNode('kill'));
}

/** What was written by then survives a power loss. @param {Disks} disks @throws {UserError} a container does not see its disk */
export async function flushDisks({ list }) {
  for (const { id, disk } of list) {
    // An engine in another mount namespace finds an empty folder there.
    if (readdirSync(disk.path).every((name) => name === LOST_AND_FOUND)) throw problem('disk-not-seen', { id });
    await disk.flush();
  }
}
