/**
 * The agents of a run: they send the load of its rounds, or run the writers of its trials, or both.
 */
import { openAgents, startAgentsLoad } from './agents-load.js';
import { openAgentsTrials } from './agents-trials.js';

/**
 * @import { AgentsLoad, WantedAgents } from './agents-load.js'
 * @import { AgentsTrials } from './agents-trials.js'
 * @import { AgentDescription } from './protocol.js'
 *
 * @typedef {Object} AgentsOfRun
 * @property {readonly AgentDescription[]} machines
 * @property {AgentsLoad} [load]
 * @property {AgentsTrials} [trials]
 * @property {() => Promise<void>} close once, at the end of the run
 */

/**
 * @param {WantedAgents} wanted
 * @param {{load: boolean, writers: boolean}} work what the run needs of them, at least one
 * @returns {Promise<AgentsOfRun>}
 * @throws {UserError} an agent is missing or unfit
 */
export async function openAgentsOfRun(wanted, { load, writers }) {
  const allow = /** @type {const} */ (['load', 'writers']).filter((each) => (each === 'load' ? load : writers));
  const controller = await openAgents(wanted, allow);
  const rounds = load ? startAgentsLoad(controller, 1) : undefined;
  return {
    machines: controller.agents,
    ...(rounds && { load: rounds }),
    ...(writers && { trials: openAgentsTrials(controller) }),
    async close() {
      await rounds?.close();
      await controller.close();
    },
  };
}
