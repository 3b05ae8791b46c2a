/** MariaDB nodes that agents started on their machines. The agents inject faults, and rebuild a node. */
import { nodeOf } from '../ask.js';
import { combineFaults } from '../hosts/fault-providers.js';
import { text } from '../texts.js';
import { mariadbStack } from './stack.js';

/** @import { Ability, StackOptions } from '../types.js' */

const OF_AGENTS = /** @type {const} */ ({ backend: 'external', ours: false, endsWithRun: true, path: 'as announced' });

/** No failure of MariaDB slows links. @type {readonly Ability[]} */
const LINKS = ['narrow-link', 'slow-link'];

/** The nodes answer; `heal` gives them their roles. @param {StackOptions & Required<Pick<StackOptions, 'deployed'>>} options */
export async function attachMariadb({ deployed, credentials = {}, faults: openFaults, tell = () => {} }) {
  const { nodes, identity, server, can, rebuild } = deployed;
  const { can: ofFaults, ...faults } = combineFaults(openFaults ? [await openFaults(nodes, tell)] : []);
  return mariadbStack(
    {
      ...faults,
      about: { ...OF_AGENTS, identity, server, why: text('on-agents') },
      nodes,
      can: [...ofFaults.filter((each) => !LINKS.includes(each)), ...can, 'configure'],
    },
    {
      credentials,
      link: (_from, to) => nodeOf({ nodes }, to).announced,
      rebuild,
      // Nobody asks what the processes of these machines use.
      processInfo: () => ({}),
    },
  );
}
