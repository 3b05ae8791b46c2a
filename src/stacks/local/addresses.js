/**
 * Loopback addresses of a stack's own. Linux has all of 127.0.0.0/8, so each stack can have 127.A.B.*, each node an address in it, and
 * each client another one. The source of a packet then says who sent it.
 */
import { readFileSync } from 'node:fs';
import { LOOPBACK } from '../address.js';
import { openNetwork } from '../network/network.js';
import { numberOf } from '../redis/topology.js';

/**
 * @import { Network } from '../network/network.js'
 * @import { StackRecord } from './record.js'
 */

/** Others use low ones: 127.0.0.53 is a resolver, 127.0.1.1 a host name, 127.0.1.* our relay. */
const SECOND_NUMBERS = { first: 16, count: 224 };

/** What `freeNet` returns. */
export const OWN_NET = /^127\.\d{2,3}\.\d{1,3}$/;

/** Of a stack with more nodes there is room up to the clients. */
const FIRST_CLIENT = 101;

/**
 * @param {ReadonlySet<string>} taken nets of other stacks of this user
 * @returns {string} the first three numbers of 256 loopback addresses that no socket here uses
 */
export function freeNet(taken) {
  const used = usedNets();
  for (;;) {
    const net = `127.${SECOND_NUMBERS.first + below(SECOND_NUMBERS.count)}.${below(256)}`;
    if (!taken.has(net) && !used.has(net)) return net;
  }
}

/** @returns {Set<string>} the nets of all local addresses of TCP sockets */
function usedNets() {
  const lines = readFileSync('/proc/net/tcp', 'latin1').trim().split('\n').slice(1);
  return new Set(
    lines.map((line) => {
      // Such as `0: 0100007F:18EB …`: the lowest byte comes first.
      const address = line.trim().split(/\s+/)[1].slice(0, 8);
      return [6, 4, 2].map((at) => Number.parseInt(address.slice(at, at + 2), 16)).join('.');
    }),
  );
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
 * @param {Pick<StackRecord, 'net' | 'nodes'>} record
 * @returns {Network | null} null: its nodes share an address
 */
export function networkOf(record) {
  const { net } = record;
  if (net === undefined) return null;
  const nodes = new Map(record.nodes.map(({ id }) => [id, [hostOf(record, id)]]));
  return openNetwork(net, { by: 'nftables between loopback addresses', nodes, firstClient: FIRST_CLIENT });
}

/** @param {number} limit */
function below(limit) {
  return Math.floor(Math.random() * limit);
}
