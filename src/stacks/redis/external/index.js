import { formatAddress } from '../../address.js';
import { combineFaults } from '../../hosts/fault-providers.js';
import { problem, text } from '../../texts.js';
import { isReplyError } from '../control.js';
import { openMembers, serverOf } from '../members.js';
import { redisStack } from '../stack.js';
import { MASTER_NAME } from '../topology.js';
import { openCommands } from './commands.js';
import { connectNode, discover } from './discovery.js';
import { refusedCommand } from './refusal.js';

/** The `external` backend: an existing deployment. Only commands that the user named, and agents beside its nodes, disturb them. */
/** @import { Ability, Address, Stack, StackOptions, Credentials, NodeInfo } from '../../types.js' */
/** @import { Members } from '../members.js' */

const SETTLE_DEADLINE_MS = 120_000;

/** @type {readonly Ability[]} */
const ALLOWED_ON_AGENTS = ['failover', 'blocking-command'];

/** @type {readonly Ability[]} */
const CONFIGURE = ['configure'];

const NOT_OURS = /** @type {const} */ ({ backend: 'external', ours: false });

const NODE_ID = 'target';

/** @param {Partial<StackOptions>} options @returns {Promise<Stack>} @throws {UserError} no Sentinel knows it, or the primary refuses us */
export async function attachExternal(options) {
  const { sentinels = [], masterName = MASTER_NAME, credentials = {}, commands, allow = [], keyPrefix } = options;
  const { faults: openFaults, deployed, tell = () => {}, signal } = options;
  if (sentinels.length === 0 && !deployed) throw problem('no-sentinel-named');
  const found = deployed ? { ...deployed, leftOut: [] } : await discover(sentinels, { masterName, credentials }, tell);
  const { nodes, identity, leftOut } = found;
  signal?.throwIfAborted();
  const members = openMembers(nodes, { masterName, credentials });
  try {
    const { can, ...faults } = combineFaults([
      ...(commands ? [openCommands(nodes, commands)] : []),
      ...(openFaults ? [await openFaults(nodes, tell)] : []),
    ]);
    // What may be done to an own stack may be done to one of agents.
    const allowed = deployed ? ALLOWED_ON_AGENTS : allow;
    const server = await members.server();
    const whyNotConfigure = await whyNoConfig(members);
    const settle = deployed ? members.settle : () => members.ready({ deadlineMs: SETTLE_DEADLINE_MS });
    return await redisStack(
      {
        ...faults,
        about: {
          ...{ ...NOT_OURS, identity, server, leftOut, path: 'as announced' },
          why: deployed ? text('on-agents') : text('sentinels-named'),
          ...(deployed && { endsWithRun: /** @type {const} */ (true) }),
          ...(whyNotConfigure !== null && { whyNotConfigure }),
        },
        nodes,
        can: [...can, ...allowed, ...(deployed?.can ?? []), ...(whyNotConfigure === null ? CONFIGURE : [])],
        network: {
          ...faults.network,
          async slow(shape, id) {
            // Nobody has to know the primary, which may be down, to make links fast again.
            const dials = shape !== null && id !== undefined && (await members.primary()).id !== id;
            await faults.network.slow(shape, id, dials);
          },
        },
      },
      { ...members, settle },
      { masterName, credentials, ...(keyPrefix && { keyPrefix }) },
    );
  } catch (error) {
    members.close();
    throw error;
  }
}

/**
 * Attaches one existing node by its address, without Sentinels.
 * @param {Address} address @param {Credentials} credentials @param {string} [keyPrefix] see Access.keyPrefix
 * @returns control: a connection to it, to be closed @throws {UserError} it cannot be reached, refuses us, or is not a Redis node
 */
export async function attachNode(address, credentials, keyPrefix) {
  const { control, info } = await connectNode(address, credentials);
  /** @type {NodeInfo} */
  const node = { id: NODE_ID, kind: 'redis', address, announced: address };
  const about = {
    ...{ ...NOT_OURS, server: serverOf(info), path: 'as named' },
    identity: `node ${formatAddress(address)}`,
    why: 'The node was named on the command line.',
  };
  const members = openMembers([node], { masterName: MASTER_NAME, credentials });
  const stack = await redisStack(
    { ...combineFaults([]), about, nodes: [node] },
    { ...members, primary: async () => node, replicas: async () => [], settle: async () => {} },
    { credentials, ...(keyPrefix && { keyPrefix }) },
  );
  return { stack, control, info };
}

/** Why this user may not read settings, so that no change could be undone, and what to allow; null: they may. @param {Members} members */
async function whyNoConfig({ observer, primary }) {
  const { id } = await primary();
  for (const node of observer.nodes.filter(({ kind }) => kind === 'redis')) {
    try {
      await observer.ask(node.id, (control) => control.call('CONFIG', 'GET', 'min-replicas-to-write'));
    } catch (error) {
      if (isReplyError(error)) {
        const { message, remedy } = refusedCommand(node, error);
        return `${message} ${remedy}`;
      }
      // A replica that does not answer is reported elsewhere.
      if (node.id === id) throw error;
    }
  }
  return null;
}
