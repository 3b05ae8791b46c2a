/** Addresses of a stack's own, so that the source of a packet says who sent it: 127.A.B.* of loopback, or 198.18.0.0/15 (RFC 2544) for hosts. */
import { randomInt } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { LOOPBACK } from '../../address.js';
import { MOST_CLIENTS, openNetwork } from '../../network/network.js';
import { numberOf } from '../../redis/topology.js';

/** @import { Firewall } from '../../network/firewall.js' */
/** @import { Network } from '../../network/network.js' */
/** @import { StackRecord } from './record.js' */

/** Others use low ones: 127.0.0.53 is a resolver, 127.0.1.1 a host name, 127.0.1.* our relay. */
const SECOND = { first: 16, count: 224 };

export const OWN_NET = /^(127\.\d{2,3}|198\.1[89])\.\d{1,3}$/;

const FIRST_CLIENT = 101;

/**
 * @param {ReadonlySet<string>} taken nets of other stacks @param {boolean} hosts of hosts, not of loopback
 * @returns the first three numbers of 256 addresses that no interface here has
 */
export function freeNet(taken, hosts) {
  const used = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
  for (;;) {
    const [first, second] = hosts ? [198, 18 + randomInt(2)] : [127, SECOND.first + randomInt(SECOND.count)];
    const net = `${first}.${second}.${randomInt(256)}`;
    if (!taken.has(net) && !used.some((address) => address.startsWith(`${net}.`))) return net;
  }
}

/** @param {string | undefined} net @param {string} id of a node */
export function addressOf(net, id) {
  return net === undefined ? LOOPBACK : `${net}.${numberOf(id)}`;
}

/** @param {string} id of a node: `redis-2` and `sentinel-2` share a host; one without a number is on the first @returns from 0 */
export function hostIndexOf(id) {
  return Number(/\d+$/.exec(id)?.[0] ?? 1) - 1;
}

/** @param {Pick<StackRecord, 'nodes'>} record of a stack on hosts @returns ids on each host */
export function nodesByHost({ nodes }) {
  const hosts = /** @type {string[][]} */ ([]);
  for (const { id } of nodes) {
    hosts[hostIndexOf(id)] ??= [];
    hosts[hostIndexOf(id)].push(id);
  }
  return hosts;
}

/** @param {string} net */
export function clientAddresses(net) {
  return Array.from({ length: MOST_CLIENTS }, (_, index) => `${net}.${FIRST_CLIENT + index}`);
}

/** @param {StackRecord} record @param {Firewall} [firewall] of its hosts @returns {Network | null} null: its nodes share an address */
export function networkOf({ net, hosts, nodes: placed }, firewall) {
  if (net === undefined) return null;
  const nodes = new Map(placed.map(({ id, host }) => [id, [host]]));
  const by = hosts ? 'nftables between network namespaces' : 'nftables between loopback addresses';
  return openNetwork(net, { by, nodes, firstClient: FIRST_CLIENT, ...(firewall && { firewall }) });
}
