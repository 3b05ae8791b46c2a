/** A partition of the network into groups of nodes and clients. */
import { setTimeout as delay } from 'node:timers/promises';
import { describePartition } from '../stacks/network/network.js';

/**
 * @import { Network, Partition } from '../stacks/network/network.js'
 * @import { Ability } from '../stacks/types.js'
 * @import { Fault } from './types.js'
 * @typedef {Object} Flapping a partition that comes and goes until it is undone
 * @property {number} lostMs how long packets are lost each time, ≥ 1
 * @property {number} wellMs how long they pass in between, ≥ 1
 */

/** What a partition is injected into, instead of a node. */
export const NETWORK = 'network';

/**
 * Packets between groups are lost, so connections stay open and time out. A second partition replaces the first.
 * @param {Partition & {flapping?: Flapping}} partition @returns {Fault}
 */
export function groupPartition({ flapping, ...partition }) {
  return Object.freeze({
    name: 'group-partition',
    what: `is divided: ${describePartition(partition)}${flapping ? `, ${flapping.lostMs} ms of every ${flapping.lostMs + flapping.wellMs} ms` : ''}`,
    needs: /** @type {Ability[]} */ (['group-partition']),
    /** @type {Fault['inject']} */
    async inject({ stack, journal }) {
      const { groups } = stack.network;
      if (!groups) throw new Error('this stack has no network of groups');
      const join = await journal.note({ kind: 'network' });
      await groups.divide(partition);
      if (!flapping) return join;
      const stop = flap(groups, partition, flapping);
      return async () => {
        await stop();
        await join();
      };
    },
  });
}

/** @param {Network} network divided @param {Partition} partition @param {Flapping} flapping @returns rejects if a change failed */
function flap(network, partition, { lostMs, wellMs }) {
  const over = new AbortController();
  const wait = (/** @type {number} */ ms) => delay(ms, undefined, { signal: over.signal, ref: false });

  async function repeat() {
    for (;;) {
      await wait(lostMs);
      await network.join();
      await wait(wellMs);
      await network.divide(partition);
    }
  }

  const flapping = repeat().catch((error) => {
    if (!over.signal.aborted) throw error;
  });
  // It is reported by the undo.
  flapping.catch(() => {});
  return async () => {
    over.abort();
    await flapping;
  };
}
