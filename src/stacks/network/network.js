/**
 * A network in which every node and every client of one stack has an address of its own. It can be divided into groups.
 * @import { Ability, StackNetwork } from '../types.js'
 * @import { DropRule, Family, Firewall } from './firewall.js'
 * @typedef {Object} Partition
 * @property {readonly (readonly string[])[]} groups at least two lists of ids of nodes and names of clients, each in one group at most.
 *   Members of different groups do not reach each other. A node or client in no group reaches everybody
 * @property {boolean} [oneWay] only packets that the first group sends to the others are lost; default: packets of both directions
 * @typedef {Object} Network
 * @property {string} by what separates the groups, for reports
 * @property {(client: string) => string | undefined} clientAddress the address from which a client of that name has to dial; one that dials
 *   from elsewhere reaches everybody. undefined: from anywhere, because no group has clients
 * @property {(client: string, addresses: readonly string[]) => void} adopt the client is on another machine, which dials from these
 * @property {(clients: readonly string[]) => Promise<void>} admit gives these clients their addresses; before they dial. Idempotent
 * @property {(partition: Partition) => Promise<void>} divide replaces an earlier partition. Packets are lost, as in a network: connections
 *   stay open and time out
 * @property {() => Promise<void>} join everybody reaches everybody again; idempotent
 * @typedef {Object} Links what lies between the nodes of a stack: a relay, a switch between hosts, networks of Docker, or nothing
 * @property {readonly Ability[]} can what the stack can do because of them
 * @property {(id: string, from: 'peers' | 'everybody') => Promise<void>} separate
 * @property {(id: string) => Promise<void>} join undoes `separate`; idempotent
 * @property {(id: string) => Promise<void>} lose kills the node; its peers get nothing more, not even what was under way, and are not told
 * @property {(id: string) => Promise<string[]>} restore undoes `lose` before the node starts again, also in part; returns the ids of the
 *   nodes that were lost with it
 * @property {StackNetwork['slow']} slow
 * @property {() => Promise<string[]>} clear removes every partition and shape; returns the nodes that may have been separated
 */
import { problem } from '../texts.js';
import { openFirewall } from './firewall.js';

/** @type {readonly Ability[]} */
export const NETWORK_ABILITIES = ['group-partition'];

export const MOST_CLIENTS = 8;

/**
 * @param {string} net the first three numbers of its addresses
 * @param {{by: string, nodes: ReadonlyMap<string, readonly string[]>, firstClient: number, family?: Family, firewall?: Firewall,
 *   addAddress?: (address: string) => Promise<unknown>}} options nodes: id → addresses; firstClient: the last number of the first client's
 *   address; addAddress: where this machine does not have the clients' addresses already; idempotent @returns {Network}
 */
export function openNetwork(net, options) {
  const { by, nodes, firstClient, addAddress = async () => {}, firewall = openFirewall(net, options.family) } = options;
  const clients = /** @type {Map<string, string>} */ (new Map());
  /** Clients on other machines. @type {Map<string, readonly string[]>} */
  const elsewhere = new Map();

  function addressesOf(/** @type {string} */ id) {
    const client = clients.get(id);
    const addresses = nodes.get(id) ?? elsewhere.get(id) ?? (client === undefined ? undefined : [client]);
    if (!addresses) throw new RangeError(`no node or client is called ${id}`);
    return addresses;
  }

  function clientAddress(/** @type {string} */ client) {
    if (nodes.has(client)) throw new RangeError(`${client} is a node, not a client`);
    const address = clients.get(client) ?? `${net}.${firstClient + clients.size}`;
    if (!clients.has(client) && clients.size === MOST_CLIENTS)
      throw problem('too-many-clients', { most: MOST_CLIENTS });
    clients.set(client, address);
    return address;
  }

  return {
    by,
    clientAddress,
    adopt(client, addresses) {
      if (nodes.has(client)) throw new RangeError(`${client} is a node, not a client`);
      elsewhere.set(client, addresses);
    },
    async admit(names) {
      for (const name of names) await addAddress(clientAddress(name));
    },
    divide: async (partition) => firewall.set(blocksOf(partition, addressesOf)),
    join: firewall.remove,
  };
}

/** @param {Partition} partition @param {(id: string) => readonly string[]} addressesOf @returns {DropRule[]} */
export function blocksOf({ groups, oneWay = false }, addressesOf) {
  const members = groups.flat();
  const twice = members.find((id, index) => members.indexOf(id) !== index);
  if (twice !== undefined) throw new RangeError(`${twice} is in two groups`);
  if (groups.length < 2 || groups.some((group) => group.length === 0))
    throw new RangeError('a partition needs two groups at least, none of them empty');
  const sides = groups.map((group) => group.flatMap(addressesOf));
  const senders = oneWay ? [0] : sides.map((_, index) => index);
  return senders.map((index) => ({ from: sides[index], to: sides.filter((_, other) => other !== index).flat() }));
}

/** @param {Partition} partition @returns such as `redis-1, redis-2 | redis-3`; `→` where one direction is lost */
export function describePartition({ groups, oneWay = false }) {
  return groups.map((group) => group.join(', ')).join(oneWay ? ' → ' : ' | ');
}

/** @type {Links} */
export const NO_LINKS = Object.freeze({
  can: [],
  separate: async (id) => lacking(`separate ${id}`),
  join: async (id) => lacking(`join ${id} to its peers`),
  lose: async (id) => lacking(`lose the machine of ${id}`),
  restore: async () => [],
  slow: async () => lacking('slow links'),
  clear: async () => [],
});

/** @param {string} what @returns {never} */
function lacking(what) {
  throw problem('no-links', { what });
}
