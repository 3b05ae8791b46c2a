/**
 * The agents of a run: they send the load of its rounds, run the writers of its trials, inject faults beside the nodes, or several of these.
 */
import { openAgentsFaults } from './agents-faults.js';
import { openAgents, startAgentsLoad, waitForAgents } from './agents-load.js';
import { isLoss, openAgentsTrials } from './agents-trials.js';

/**
 * @import { OpenFaults } from '../stacks/types.js'
 * @import { AgentsLoad, WantedAgents } from './agents-load.js'
 * @import { AgentsTrials } from './agents-trials.js'
 * @import { AgentDescription } from './protocol.js'
 *
 * @typedef {Object} AgentsOfRun
 * @property {readonly AgentDescription[]} machines of the agents that send the load or run the writers
 * @property {AgentsLoad} [load]
 * @property {AgentsTrials} [trials]
 * @property {OpenFaults} [faults] of the nodes beside which agents run
 * @property {AgentsTrials['repeatable']} repeatable after an agent was lost in a trial
 * @property {() => Promise<void>} close once, at the end of the run
 */

/**
 * Agents that allow neither load nor writers only inject faults; if all of them do, this process sends the load and runs the writers.
 *
 * @param {WantedAgents} wanted
 * @param {{load: boolean, writers: boolean, faults?: boolean}} work what the run needs of them, load or writers at least
 * @returns {Promise<AgentsOfRun>}
 * @throws {UserError} an agent is missing or unfit
 */
export async function openAgentsOfRun(wanted, { load, writers, faults = false }) {
  const allow = /** @type {const} */ (['load', 'writers']).filter((each) => (each === 'load' ? load : writers));
  const controller = await openAgents(wanted, allow, faults ? 'faults' : undefined);
  const working = controller.agents.filter((agent) => allow.every((each) => agent.allow.includes(each)));
  const beside = faults ? controller.agents.filter((agent) => agent.allow.includes('faults')) : [];
  const workers = { ...controller, agents: working };
  const rounds = load && working.length > 0 ? startAgentsLoad(workers, 1) : undefined;
  const trials = writers && working.length > 0 ? openAgentsTrials(workers) : undefined;
  return {
    machines: working,
    ...(rounds && { load: rounds }),
    ...(trials && { trials }),
    ...(beside.length > 0 && { faults: openAgentsFaults({ ...controller, agents: beside }) }),
    repeatable: (error) =>
      trials?.repeatable(error) ?? (isLoss(error) ? (signal) => waitForAgents(controller, signal) : null),
    async close() {
      await rounds?.close();
      await controller.close();
    },
  };
}
