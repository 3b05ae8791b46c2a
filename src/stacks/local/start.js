/** What a local stack of any system needs to start and to end. */
import pLimit from 'p-limit';
import { NO_DISKS, startDisks } from '../disks.js';
import { freePort } from '../ports.js';
import { CAN_RELAY, startRelay } from '../relay/relay.js';
import { explainFileError, listStacks, removeStack, saveStack } from './record.js';

/**
 * @import { Disks } from '../disks.js'
 * @import { Relay } from '../relay/relay.js'
 * @import { StackOptions } from '../types.js'
 * @import { StackRecord } from './record.js'
 *
 * @typedef {Object} LocalParts what lies between the nodes, and under them
 * @property {Relay | null} relay null: there is none
 * @property {Disks} disks
 */

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
 * Starts what lies between the nodes of a new stack and under them, and then the nodes.
 * @template T
 * @param {StackRecord} record
 * @param {Pick<StackOptions, 'links' | 'volatileDisks' | 'signal'> & {tell: (line: string) => void, byPort?: boolean}} options byPort: see `startRelay`
 * @param {(parts: LocalParts) => Promise<T>} bringUp
 * @returns {Promise<T>} after a rejection everything that was started is removed
 */
export async function startParts(record, { links, volatileDisks = [], byPort, signal, tell }, bringUp) {
  /** @type {Relay | null} */
  let relay = null;
  let disks = NO_DISKS;
  try {
    relay = links && CAN_RELAY ? await startRelay(record.nodes, { byPort }) : null;
    disks = await startDisks(volatileDisks, {
      signal,
      tell,
      onStarted(id, { path }) {
        record.disks = { ...record.disks, [id]: path };
        saveStack(record);
      },
    });
    return await bringUp({ relay, disks });
  } catch (error) {
    await removeWhole(record, { relay, disks });
    throw explainFileError(record, error);
  }
}

/** @param {StackRecord} record @param {LocalParts} parts */
export async function removeWhole(record, { relay, disks }) {
  try {
    await removeStack(record);
  } finally {
    await relay?.close();
    await disks.close();
  }
}
