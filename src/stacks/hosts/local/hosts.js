/** Hosts of a local stack, made of network namespaces: host N has `redis-N` and `sentinel-N`. Rules in the switch separate them. */
/** @import { Ability } from '../../types.js' */
/** @import { StackRecord } from './record.js' */
/** @import { DropRule, Firewall } from '../../network/firewall.js' */
/** @import { Links } from '../../network/network.js' */
import { nodeOf } from '../../ask.js';
import { openFirewall, openRules } from '../../network/firewall.js';
import * as namespaces from '../../network/namespaces.js';
import { NO_LINKS } from '../../network/network.js';
import { signalProcess } from '../daemons.js';
import { clientAddresses, hostIndexOf, nodesByHost } from './addresses.js';
import { identityOf, pidOf } from './record.js';

export const HOSTS_PATH = 'network namespaces';

/** @type {readonly Ability[]} */
export const HOST_ABILITIES = ['lose', 'partition', 'isolate'];

/** @param {StackRecord} record on disk @param {string} [neighbour] identity of other hosts, whose switch gets a cable to that of the stack */
export async function makeStackHosts(record, neighbour) {
  const net = /** @type {string} */ (record.net);
  await namespaces.makeHosts({
    identity: identityOf(record),
    hosts: addressesByHost(record),
    harness: [`${net}.${HARNESS}`, ...clientAddresses(net)],
  });
  if (neighbour !== undefined) await namespaces.joinSwitches(identityOf(record), neighbour);
}

/** Whose rules are those of groups; the others are of nodes. */
const GROUPS = 'groups';
/** The last number of the address from which the harness dials. */
const HARNESS = 254;

/** @param {StackRecord} record @param {string} id @returns words before a command in the network of that node */
export function wordsBefore(record, id) {
  return record.hosts ? namespaces.commandIn(identityOf(record), hostIndexOf(id)) : [];
}

/** @param {StackRecord} record @returns {string[][]} of each host */
function addressesByHost(record) {
  return nodesByHost(record).map((ids) => [...new Set(ids.map((id) => nodeOf(record, id).host))]);
}

/**
 * @param {StackRecord} record of a stack on hosts @param {(id: string) => Promise<void>} kill ends a node
 * @returns {Links & {firewall: Firewall}} firewall: for groups of nodes and clients; keeps what `separate` does
 */
export function openStackHosts(record, kill) {
  const identity = identityOf(record);
  const net = /** @type {string} */ (record.net);
  const byHost = nodesByHost(record);
  const addresses = addressesByHost(record);
  const { applyWithin, ...rules } = openHostRules(identity, net, addresses);

  async function removeHost(/** @type {number} */ host) {
    for (const id of byHost[host]) await kill(id);
    await namespaces.removeHost(identity, host);
  }

  return {
    can: HOST_ABILITIES,
    firewall: { set: (blocks) => rules.set(GROUPS, blocks), remove: () => rules.set(GROUPS, []) },
    async separate(id, from) {
      const host = [nodeOf(record, id).host];
      const others =
        from === 'everybody' ? [`${net}.0/24`] : record.nodes.flatMap((node) => (node.id === id ? [] : node.host));
      await rules.set(id, [
        { from: host, to: others },
        { from: others, to: host },
      ]);
    },
    join: (id) => rules.set(id, []),
    async lose(id) {
      const host = hostIndexOf(id);
      const isThere = await namespaces.isPluggedIn(identity, host);
      // Before the cable is pulled, so that the kills follow at once.
      const pids = byHost[host].flatMap((each) => pidOf(record, each) ?? []);
      if (isThere) namespaces.unplug(identity, host);
      for (const pid of pids) signalProcess(pid, 'SIGKILL');
      await removeHost(host);
    },
    async restore(id) {
      const host = hostIndexOf(id);
      if (await namespaces.isPluggedIn(identity, host)) return [];
      // Whoever lost or restored it may have been killed at any point.
      await removeHost(host);
      await namespaces.makeHost(identity, host, addresses[host]);
      await applyWithin(host);
      await namespaces.plugIn(identity, host);
      return byHost[host];
    },
    slow: NO_LINKS.slow,
    async clear() {
      await rules.clear();
      return record.nodes.map(({ id }) => id);
    },
  };
}

/**
 * Rules in the switch, and on each host for packets that never leave it.
 * @param {string} identity @param {string} net @param {readonly (readonly string[])[]} addresses of each host
 */
function openHostRules(identity, net, addresses) {
  const between = openFirewall(net, 'bridge', namespaces.commandIn(identity, 'switch'));

  async function applyWithin(/** @type {number} */ host) {
    const within = openFirewall(net, 'ip', namespaces.commandIn(identity, host));
    await within.set(insideOf(rules.all(), addresses[host], net));
  }

  // The switch comes first: its rules decide between hosts, and they change all at once. A lost host gets its rules when it comes back.
  const rules = openRules(async (blocks) => {
    await between.set(blocks);
    await Promise.all(addresses.map((_, host) => namespaces.hasHost(identity, host) && applyWithin(host)));
  });
  return { applyWithin, ...rules };
}

/** @param {readonly DropRule[]} blocks @param {readonly string[]} addresses of one host @param {string} net @returns of packets within it */
export function insideOf(blocks, addresses, net) {
  const here = (/** @type {readonly string[]} */ list) =>
    list.includes(`${net}.0/24`) ? [...addresses] : list.filter((each) => addresses.includes(each));
  return blocks
    .map(({ from, to }) => ({ from: here(from), to: here(to) }))
    .filter(({ from, to }) => from.length > 0 && to.length > 0);
}
