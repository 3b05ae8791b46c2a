/** Faults of nodes beside which agents run: a client of the hosts that these agents serve. */
import { nodeOf } from '../stacks/ask.js';
import { openCuts } from './agents-cuts.js';
import { findServed } from './agents-found.js';
import { lanesFor } from './agents-links.js';
import { waitForAgents } from './agents-load.js';
import { UNDONE_BY } from './host-protocol.js';

/**
 * @import { Action, LinkShape, OpenFaults } from '../stacks/types.js'
 * @import { NodeWithAgent } from './agents-found.js'
 * @import { Controller } from './controller.js'
 *
 * @typedef {(agent: string, operation: 'faults-act' | 'faults-cut' | 'faults-slow', body: any, undoing: boolean) => Promise<void>} Tell
 */

/**
 * @param {Controller} controller its agents allow faults
 * @returns {(...args: [...Parameters<OpenFaults>, onFound?: (served: readonly NodeWithAgent[]) => void]) => ReturnType<OpenFaults>} onFound: told which agent
 *   is beside which node
 */
export function openAgentsFaults(controller) {
  const { ask, lost } = controller;

  /** @type {Tell} */
  async function tellAgent(agent, operation, body, undoing) {
    try {
      await ask(agent, operation, body);
    } catch (error) {
      if (!undoing) throw error;
      // An agent that was away has undone its faults, or its recovery did. Doing it again does no harm.
      await waitForAgents(controller, new AbortController().signal);
      await ask(agent, operation, body);
    }
  }

  return async function open(nodes, tell, onFound) {
    const { served, abilities, told } = await findServed(controller, nodes);
    onFound?.(served);
    const names = [...new Set(served.map(({ agent }) => agent))];
    const ofAgent = (/** @type {string} */ name) => served.filter(({ agent }) => agent === name).map(({ id }) => id);
    tell(`Faults by agents: ${names.map((name) => `${name} (${ofAgent(name).join(', ')})`).join(', ')}`);
    for (const line of told) tell(line);

    const cuts = openCuts(served, {
      ofSentinels: abilities.includes('sentinel-partition'),
      apply: bringer('faults-cut', 'blocks', tellAgent),
    });
    const servers = openServers(served, tellAgent);
    const applyLanes = bringer('faults-slow', 'lanes', tellAgent);
    /** @type {LinkShape | null} */
    let allSlowed = null;
    /** @type {Map<string, {shape: LinkShape, dials: boolean}>} */
    const slowed = new Map();

    /** @param {LinkShape | null} shape @param {string} [id] @param {boolean} [dials] */
    async function slow(shape, id, dials = true) {
      if (id === undefined) allSlowed = shape;
      else if (shape) slowed.set(nodeOf({ nodes: served }, id).id, { shape, dials });
      else slowed.delete(id);
      await applyLanes(lanesFor(served, { all: allSlowed, nodes: slowed }), shape === null);
    }

    return {
      abilities,
      async act(id, action) {
        nodeOf({ nodes: served }, id);
        if (action === 'partition') return cuts.separate(id, 'peers');
        if (action === 'isolate') return cuts.separate(id, 'everybody');
        return action === 'join' ? cuts.join(id) : servers.act(id, action);
      },
      slow,
      lost: () => lost(names),
      ...(abilities.includes('group-partition') && { network: cuts.network }),
      async undo() {
        await cuts.clear();
        slowed.clear();
        await slow(null);
        await servers.undo();
      },
    };
  };
}

/**
 * Tells agents what is to be in force there: those for which it changes.
 * @template T
 * @param {'faults-cut' | 'faults-slow'} operation @param {string} field of its body @param {Tell} tellAgent
 * @returns {(wanted: ReadonlyMap<string, T[]>, undoing: boolean) => Promise<void>} wanted: by agent
 */
function bringer(operation, field, tellAgent) {
  /** What each of them was told, as JSON. @type {Map<string, string>} */
  const inForce = new Map();
  return async (wanted, undoing) => {
    const changed = [...wanted].filter(([agent, list]) => (inForce.get(agent) ?? '[]') !== JSON.stringify(list));
    await Promise.all(
      changed.map(async ([agent, list]) => {
        // Also if it fails: it may have had some effect.
        inForce.set(agent, '?');
        await tellAgent(agent, operation, { [field]: list }, undoing);
        inForce.set(agent, JSON.stringify(list));
      }),
    );
  };
}

/** @param {readonly NodeWithAgent[]} served @param {Tell} tellAgent */
function openServers(served, tellAgent) {
  /** Nodes that do not run, and what is due. @type {Map<string, Action>} */
  const due = new Map();
  /** Nodes that were lost with the machine of this one. @type {Map<string, readonly string[]>} */
  const lostWith = new Map();

  /** @param {string} id @param {Action} action */
  async function actOnNode(id, action) {
    const { agent, at } = nodeOf({ nodes: served }, id);
    const undoing = UNDONE_BY[action];
    if (undoing) due.set(id, undoing);
    await tellAgent(agent, 'faults-act', { node: at, action }, !undoing);
    if (!undoing) due.delete(id);
  }

  /** A machine is lost with all its nodes: the Sentinel beside the primary, too. @param {string} id */
  function besides(id) {
    const { agent } = nodeOf({ nodes: served }, id);
    const others = served.filter((node) => node.agent === agent && node.id !== id && node.whyNoStart === null);
    return others.map((node) => node.id);
  }

  /** @param {string} id @param {Action} action */
  async function act(id, action) {
    if (action === 'lose') lostWith.set(id, besides(id));
    const together = action === 'lose' || action === 'start' ? (lostWith.get(id) ?? []) : [];
    await Promise.all([id, ...together].map((each) => actOnNode(each, action)));
    if (action === 'start') lostWith.delete(id);
  }

  return {
    act,
    async undo() {
      for (const [id, action] of due) await act(id, action);
    },
  };
}
