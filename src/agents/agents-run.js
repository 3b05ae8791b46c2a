/** The agents of a run: they send the load of its rounds, run the writers of its trials, inject faults beside the nodes, or several of these. */
import { openAgentsFaults } from './agents-faults.js';
import { startAgentsLoad } from './agents-load.js';
import { openAgentsNodes } from './agents-nodes.js';
import { openAgentsTrials } from './agents-trials.js';
import { openController } from './controller.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { OpenFaults, SystemName } from '../stacks/types.js'
 * @import { AgentsLoad } from './agents-load.js'
 * @import { AgentsNodes } from './agents-nodes.js'
 * @import { AgentsTrials } from './agents-trials.js'
 * @import { Controller, WantedAgents } from './controller.js'
 * @import { Allowable } from './operations.js'
 * @import { AgentDescription } from './protocol.js'
 * @typedef {Object} AgentsOfRun
 * @property {readonly AgentDescription[]} machines of the agents that send the load or run the writers @property {AgentsLoad} [load]
 * @property {AgentsTrials} [trials] @property {OpenFaults} [faults] of the nodes beside which agents run
 * @property {AgentsNodes} [nodes] started by agents; they end with the run
 * @property {(benchmarks: Result['benchmarks']) => NonNullable<Result['agents']>} whoRanWhere all agents of the run, and what each of them
 *   did
 * @property {Controller['repeatable']} repeatable @property {() => Promise<void>} close once, at the end of the run
 */

const WORK = /** @type {const} */ (['load', 'writers']);
const BESIDE_NODES = /** @type {const} */ (['faults', 'nodes']);

/**
 * Agents that allow neither load nor writers only inject faults or start nodes; if all of them do, this process sends the load and runs the writers.
 * @param {WantedAgents} wanted
 * @param {{load: boolean, writers: boolean, faults?: boolean, nodes?: boolean, system?: SystemName}} work what the run needs of them, load or writers at
 *   least; system: what it measures, default: redis
 * @returns {Promise<AgentsOfRun>}
 * @throws {UserError} an agent is missing or unfit
 */
export async function openAgentsOfRun(wanted, { load, writers, faults = false, nodes = false, system = 'redis' }) {
  const needed = { load, writers, faults, nodes };
  const allow = WORK.filter((each) => needed[each]);
  const controller = await openController(
    wanted,
    allow,
    BESIDE_NODES.filter((each) => needed[each]),
  );
  const allowing = (/** @type {Allowable[]} */ ...all) =>
    controller.agents.filter((agent) => all.every((each) => agent.allow.includes(each)));
  const working = allowing(...allow);
  const beside = faults ? allowing('faults') : [];
  const workers = { ...controller, agents: working };
  const deployments = nodes ? openAgentsNodes({ ...controller, agents: allowing('nodes') }, system) : undefined;
  const rounds = load && working.length > 0 ? startAgentsLoad(workers, 1) : undefined;
  const trials = writers && working.length > 0 ? openAgentsTrials(workers, deployments) : undefined;
  const { open, nodesBeside } = openAgentsFaults({ ...controller, agents: beside });

  return {
    machines: working,
    ...(rounds && { load: rounds }),
    ...(trials && { trials }),
    ...(beside.length > 0 && { faults: open }),
    ...(deployments && { nodes: deployments }),
    whoRanWhere(benchmarks) {
      const sent = namesIn(benchmarks.flatMap(({ cases }) => cases.flatMap((one) => one.rounds)));
      const wrote = namesIn(benchmarks.flatMap(({ timeline = [] }) => timeline));
      return controller.agents.map(({ name, cores, memoryBytes, os, node, tool }) => {
        const own = nodesBeside(name);
        const did = {
          load: sent.has(name),
          writers: wrote.has(name),
          nodes: nodes && own.length > 0,
          faults: own.length > 0,
        };
        const roles = ROLES.filter((role) => did[role]);
        return { name, cores, memoryBytes, os, node, tool, roles, ...(own.length > 0 && { nodes: own }) };
      });
    },
    repeatable: controller.repeatable,
    async close() {
      await rounds?.close();
      await controller.close();
    },
  };
}

const ROLES = /** @type {const} */ (['load', 'writers', 'nodes', 'faults']);

/** @param {readonly {agents?: readonly {name: string}[]}[]} parts of a result @returns {Set<string>} agents that took part */
function namesIn(parts) {
  return new Set(parts.flatMap(({ agents = [] }) => agents.map(({ name }) => name)));
}
