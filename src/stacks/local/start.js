/** What a local stack of any system needs to start and to end. */
import pLimit from 'p-limit';
import { startDisks } from '../disks.js';
import { freePort } from '../ports.js';
import { listStacks, removeStack, saveStack } from './record.js';

/**
 * @import { Disks } from '../disks.js'
 * @import { Relay } from '../relay/relay.js'
 * @import { StackRecord } from './record.js'
 */

export const WHY = 'Child processes on this machine: nothing lies between the clients and the servers.';

/** Two stacks that are placed at the same time would choose the same ports. */
export const oneAtATime = pLimit(1);

/**
 * A stopped node of another stack will need its port again. That stack's Sentinels would make a replica of any other server at that port.
 * @returns {Set<number>} the ports of all stacks of this user
 */
export function takenPorts() {
  return new Set(listStacks().flatMap(({ nodes }) => nodes.map(({ port }) => port)));
}

/** @param {readonly {id: string}[]} nodes @returns {Promise<StackRecord['nodes']>} with a free port each */
export async function assignPorts(nodes) {
  const taken = takenPorts();
  const placed = [];
  for (const { id } of nodes) {
    const port = await freePort(taken);
    taken.add(port);
    placed.push({ id, port });
  }
  return placed;
}

/**
 * @param {StackRecord} record where the disks are noted
 * @param {readonly string[]} ids of the nodes with disks of their own
 * @param {{signal?: AbortSignal, tell: (line: string) => void}} options
 */
export function startStackDisks(record, ids, options) {
  return startDisks(ids, {
    ...options,
    onStarted(id, { path }) {
      record.disks = { ...record.disks, [id]: path };
      saveStack(record);
    },
  });
}

/** @param {StackRecord} record @param {{relay: Relay | null, disks: Disks | null}} parts */
export async function removeWhole(record, { relay, disks }) {
  try {
    await removeStack(record);
  } finally {
    await relay?.close();
    await disks?.close();
  }
}
