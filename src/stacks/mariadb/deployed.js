/**
 * MariaDB nodes that agents started on their machines. The agents inject faults, and rebuild a node.
 */
import { nodeOf } from '../ask.js';
import { combineFaults } from '../fault-providers.js';
import { MARIADB } from './dialect.js';
import { mariadbStack } from './stack.js';

/** @import { Ability, Stack, StackOptions } from '../types.js' */

const WHY = 'Agents started the nodes on their machines.';
/** No failure of MariaDB slows links. @type {readonly Ability[]} */
const LINKS = ['narrow-link', 'slow-link'];

/**
 * @param {StackOptions & Required<Pick<StackOptions, 'deployed'>>} options
 * @returns {Promise<Stack>} the nodes answer; `heal` gives them their roles
 */
export async function attachMariadb({ deployed, credentials = {}, faults: openFaults, tell = () => {} }) {
  const { nodes, identity, server, can, rebuild } = deployed;
  const faults = combineFaults(openFaults ? [await openFaults(nodes, tell)] : []);
  const { network, faultsLost, ...parts } = faults.parts;
  const stack = mariadbStack({
    backend: 'external',
    identity,
    why: WHY,
    server,
    path: 'as announced',
    credentials,
    nodes,
    dialect: MARIADB,
    can: new Set([...faults.abilities.filter((each) => !LINKS.includes(each)), ...can, 'configure']),
    link: (_from, to) => nodeOf({ nodes }, to).announced,
    rebuild,
    // Nobody asks what the processes of these machines use.
    processInfo: () => ({}),
    act: faults.act,
    slow: faults.slow,
    revive: faults.undo,
    ...parts,
  });
  return {
    ...stack,
    ours: false,
    endsWithRun: true,
    ...(network && { network }),
    ...(faultsLost && { faultsLost }),
    close: async () => {},
  };
}
