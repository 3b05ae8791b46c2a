/**
 * The agents of a run: they send the load of its rounds, run the writers of its trials, inject faults beside the nodes, or several of these.
 */
import { openAgentsFaults } from './agents-faults.js';
import { openAgents, startAgentsLoad, waitForAgents } from './agents-load.js';
import { startAgentsNodes } from './agents-nodes.js';
import { isLoss, openAgentsTrials } from './agents-trials.js';

/**
 * @import { OpenFaults, StackOptions } from '../stacks/types.js'
 * @import { Allowable } from './agent.js'
 * @import { AgentsLoad, WantedAgents } from './agents-load.js'
 * @import { AgentsTrials } from './agents-trials.js'
 * @import { AgentDescription } from './protocol.js'
 *
 * @typedef {Object} AgentsOfRun
 * @property {readonly AgentDescription[]} machines of the agents that send the load or run the writers
 * @property {AgentsLoad} [load]
 * @property {AgentsTrials} [trials]
 * @property {OpenFaults} [faults] of the nodes beside which agents run
 * @property {() => Promise<Pick<StackOptions, 'sentinels' | 'credentials'>>} [startNodes] they end with the run
 * @property {AgentsTrials['repeatable']} repeatable after an agent was lost in a trial
 * @property {() => Promise<void>} close once, at the end of the run
 */

/** @type {Allowable} */
const FAULTS = 'faults';
/** @type {Allowable} */
const NODES = 'nodes';

/**
 * Agents that allow neither load nor writers only inject faults; if all of them do, this process sends the load and runs the writers.
 *
 * @param {WantedAgents} wanted
 * @param {{load: boolean, writers: boolean, faults?: boolean, nodes?: {replicas?: number, sentinelCount?: number}}} work what the run needs of
 *   them, load or writers at least; nodes: agents start a deployment of that size
 * @returns {Promise<AgentsOfRun>}
 * @throws {UserError} an agent is missing or unfit
 */
export async function openAgentsOfRun(wanted, { load, writers, faults = false, nodes }) {
  const allow = /** @type {const} */ (['load', 'writers']).filter((each) => (each === 'load' ? load : writers));
  const controller = await openAgents(wanted, allow, [...(faults ? [FAULTS] : []), ...(nodes ? [NODES] : [])]);
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
    ...(nodes && {
      startNodes: () =>
        startAgentsNodes(
          { ...controller, agents: controller.agents.filter((agent) => agent.allow.includes(NODES)) },
          nodes,
        ),
    }),
    repeatable: (error) =>
      trials?.repeatable(error) ?? (isLoss(error) ? (signal) => waitForAgents(controller, signal) : null),
    async close() {
      await rounds?.close();
      await controller.close();
    },
  };
}
