import pLimit from 'p-limit';
import { once } from '../../../once.js';
import { nodeOf } from '../../ask.js';
import { NO_LINKS } from '../../network/network.js';
import { CAN_RELAY, LINK_ABILITIES, sourceOf, startRelay } from '../../network/relay/relay.js';
import { NO_DISKS, startDisks } from '../../volumes/disks.js';
import { networkOf } from './addresses.js';
import { openLocalHost } from './host.js';
import { openStackHosts } from './hosts.js';
import { explainFileError, listStacks, removeStack, saveStack } from './record.js';

/** What a local stack of any system needs to start and to end. */
/** @import { Between, Host } from '../host.js' */
/** @import { Links } from '../../network/network.js' */
/** @import { Relay } from '../../network/relay/relay.js' */
/** @import { StackOptions } from '../../types.js' */
/** @import { StackRecord } from './record.js' */
/** @typedef {ReturnType<typeof openLocalHost>} LocalHost */

/** Two stacks that are placed at the same time would choose the same ports. */
export const oneAtATime = pLimit(1);

/** Of all stacks of this user: Sentinels of another stack would make a replica of any server at the port of a stopped node. */
export function takenPorts() {
  return new Set(listStacks().flatMap(({ nodes }) => nodes.map(({ port }) => port)));
}

/**
 * Starts what lies between and under the nodes of a new stack, and then the nodes. After a rejection all of it is removed.
 * @template T @param {StackRecord} record
 * @param {Pick<StackOptions, 'links' | 'volatileDisks' | 'signal'> & {tell: (line: string) => void, byPort?: boolean, disks?: 'agent'}} options
 * @param {(host: LocalHost, between: Between) => Promise<T>} bringUp
 */
export async function startParts(record, { links, volatileDisks = [], byPort, disks: kind, signal, tell }, bringUp) {
  let relay = /** @type {Relay | null} */ (null);
  let disks = NO_DISKS;
  const remove = once(async () => {
    try {
      await removeStack(record);
    } finally {
      await relay?.close();
      await disks.close();
    }
  });
  try {
    relay = links && CAN_RELAY ? await startRelay(record.nodes, { byPort }) : null;
    disks = await startDisks(volatileDisks, { kind, signal, tell });
    record.disks = Object.fromEntries(disks.list.map(({ id, disk }) => [id, disk.path]));
    saveStack(record);
    const host = { ...openLocalHost(record, disks), remove };
    const started = await bringUp(host, betweenNodes(record, host, relay));
    // What the nodes have written by now survives a power loss.
    for (const { disk } of disks.list) await disk.flush();
    return started;
  } catch (error) {
    await remove();
    throw explainFileError(record, error);
  }
}

/** @param {StackRecord} record @param {Host} host of the same @param {Relay | null} relay between its nodes @returns {Between} */
export function betweenNodes(record, host, relay) {
  const hosts = record.hosts ? openStackHosts(record, (id) => host.act(id, 'kill')) : null;
  return {
    links: hosts ?? (relay ? relayLinks(relay, host) : NO_LINKS),
    groups: networkOf(record, hosts?.firewall),
    ...(relay && { ports: relay.ports, sourceOf }),
    ...(record.net !== undefined && { sourceOf: (id) => nodeOf(record, id).host }),
  };
}

/** @param {Relay} relay between the nodes @param {Host} host @returns {Links} */
function relayLinks(relay, host) {
  return {
    can: LINK_ABILITIES,
    // Clients reach a node through the machine's own loopback.
    separate: (id, from) => (from === 'peers' ? relay.partition(id) : NO_LINKS.separate(id, from)),
    join: relay.join,
    async lose(id) {
      const process = await host.process(id);
      if (process) await relay.lose(id, process.pid);
      await host.act(id, 'kill');
    },
    async restore(id) {
      await relay.restore(id);
      return [];
    },
    slow: relay.slow,
    clear: relay.clear,
  };
}
