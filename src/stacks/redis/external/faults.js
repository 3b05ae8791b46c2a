/**
 * The user's commands, as a provider of faults of an existing deployment.
 */
import { NETWORK_ABILITIES } from '../../network/network.js';
import { openCommands, openGroupCommands } from './commands.js';

/**
 * @import { FaultProvider, NodeInfo, StackOptions } from '../../types.js'
 */

/**
 * @param {readonly NodeInfo[]} nodes
 * @param {NonNullable<StackOptions['commands']>} commands
 * @returns {FaultProvider}
 * @throws {UserError} as `openCommands`
 */
export function faultsByCommands(nodes, commands) {
  const { abilities, act, undo } = openCommands(nodes, commands);
  const groups = openGroupCommands(nodes, commands);
  return {
    abilities: [...abilities, ...(groups ? NETWORK_ABILITIES : [])],
    act,
    ...(groups && { network: groups.network }),
    async undo() {
      await groups?.undo();
      await undo();
    },
  };
}
