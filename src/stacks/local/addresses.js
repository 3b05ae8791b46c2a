/**
 * Addresses of a stack's own. Linux has all of 127.0.0.0/8 on loopback, so each stack can have 127.A.B.*, each node an address in it, and
 * each client another one. The source of a packet then says who sent it. Hosts made of network namespaces have addresses of 198.18.0.0/15,
 * which is reserved for measurements between networks (RFC 2544).
 */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { LOOPBACK } from '../address.js';
import { MOST_CLIENTS, openNetwork } from '../network/network.js';
import { numberOf } from '../redis/topology.js';

/**
 * @import { Firewall } from '../network/firewall.js'
 * @import { Network } from '../network/network.js'
 * @import { StackRecord } from './record.js'
 */

/** Others use low ones: 127.0.0.53 is a resolver, 127.0.1.1 a host name, 127.0.1.* our relay. */
const SECOND_NUMBERS = { first: 16, count: 224 };

/** What `freeNet` and `freeHostNet` return. */
export const OWN_NET = /^(127\.\d{2,3}|198\.1[89])\.\d{1,3}$/;

/** The addresses below this one are for nodes. */
const FIRST_CLIENT = 101;

/**
 * @param {ReadonlySet<string>} taken nets of other stacks of this user
 * @returns {string} the first three numbers of 256 loopback addresses that no socket here uses
 */
export function freeNet(taken) {
  const sockets = readFileSync('/proc/net/tcp', 'latin1');
  for (;;) {
    const net = `127.${SECOND_NUMBERS.first + below(SECOND_NUMBERS.count)}.${below(256)}`;
    if (!taken.has(net) && !sockets.includes(endOfHex(net))) return net;
  }
}

/**
 * @param {ReadonlySet<string>} taken nets of other stacks of this user
 * @returns {string} the first three numbers of 256 addresses that no interface and no route here uses
 */
export function freeHostNet(taken) {
  const used = new Set([
    ...Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []),
    ...routes(),
  ]);
  const nets = new Set([...used].map((address) => address.split('.').slice(0, 3).join('.')));
  for (;;) {
    const net = `198.${18 + below(2)}.${below(256)}`;
    if (!taken.has(net) && !nets.has(net)) return net;
  }
}

/** @returns {string[]} the networks that this machine has a route to */
function routes() {
  const lines = readFileSync('/proc/net/route', 'latin1').trim().split('\n').slice(1);
  return lines.map((line) => dotted(line.split('\t')[1]));
}

/** @param {string} hex such as `0100007F`: the lowest byte comes first */
function dotted(hex) {
  return [6, 4, 2, 0].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join('.');
}

/**
 * @param {string} net such as `127.18.2`
 * @returns {string} the end of its addresses in /proc/net/tcp, such as `02127F:`: the lowest byte comes first
 */
function endOfHex(net) {
  const bytes = net.split('.').reverse();
  return `${bytes
    .map((byte) => Number(byte).toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()}:`;
}

/**
 * @param {Pick<StackRecord, 'net'>} record
 * @param {string} id of a node
 * @returns {string} the address on which it listens, and from which it dials if that is its own
 */
export function hostOf({ net }, id) {
  return net === undefined ? LOOPBACK : `${net}.${numberOf(id)}`;
}

/**
 * @param {string} id of a node
 * @returns {number} its host, from 0: `redis-2` and `sentinel-2` share one
 */
export function hostIndexOf(id) {
  return Number(id.split('-').at(-1)) - 1;
}

/**
 * @param {Pick<StackRecord, 'nodes'>} record of a stack on hosts
 * @returns {string[][]} the ids of the nodes on each host
 */
export function nodesByHost({ nodes }) {
  /** @type {string[][]} */
  const hosts = [];
  for (const { id } of nodes) {
    const host = hostIndexOf(id);
    hosts[host] = [...(hosts[host] ?? []), id];
  }
  return hosts;
}

/**
 * @param {string} net
 * @returns {string[]} all addresses that clients of its network may get
 */
export function clientAddresses(net) {
  return Array.from({ length: MOST_CLIENTS }, (_, index) => `${net}.${FIRST_CLIENT + index}`);
}

/**
 * @param {Pick<StackRecord, 'net' | 'nodes' | 'hosts'>} record
 * @param {Firewall} [firewall] of its hosts
 * @returns {Network | null} null: its nodes share an address
 */
export function networkOf(record, firewall) {
  const { net, hosts } = record;
  if (net === undefined) return null;
  const nodes = new Map(record.nodes.map(({ id }) => [id, [hostOf(record, id)]]));
  const by = hosts ? 'nftables between network namespaces' : 'nftables between loopback addresses';
  return openNetwork(net, { by, nodes, firstClient: FIRST_CLIENT, ...(firewall && { firewall }) });
}

/** @param {number} limit */
function below(limit) {
  return Math.floor(Math.random() * limit);
}
