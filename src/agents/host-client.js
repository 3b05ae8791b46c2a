/** The controller's side of the host that an agent serves. What is to be undone there, and how, the agent itself notes. */
import { nodeOf } from '../stacks/ask.js';
import { UNDONE_BY } from './host-protocol.js';

/**
 * @import { Action, Address, NodeInfo } from '../stacks/types.js'
 * @import { Controller } from './controller.js'
 * @import { Cut, SlowedLane } from './host-protocol.js'
 * @import { Asked } from './operations.js'
 * @typedef {NodeInfo & {at: Address, whyNoStart: string | null}} ServedNode at: its IPv4 address
 * @typedef {ReturnType<typeof openHost>} ServedHost
 */

/** @param {Pick<Controller, 'ask' | 'renew'>} controller @param {string} name of the agent @param {readonly ServedNode[]} [nodes] beside it */
export function openHost({ ask, renew }, name, nodes = []) {
  const addresses = new Set(nodes.map(({ at }) => at.host));
  let isDisturbed = false;
  /** Operation → the list that is in force there, as JSON. @type {Map<string, string>} */
  const inForce = new Map();

  /** @param {'faults-act' | 'faults-cut' | 'faults-slow' | 'faults-undo'} operation @param {any} body @param {boolean} undoing */
  async function tell(operation, body, undoing) {
    if (!undoing) isDisturbed = true;
    try {
      await ask(name, operation, body);
    } catch (error) {
      if (!undoing) throw error;
      // An agent that was away has undone its faults, or its recovery did. Doing it again does no harm.
      await renew();
      await ask(name, operation, body);
    }
  }

  /** @param {'faults-cut' | 'faults-slow'} operation @param {'blocks' | 'lanes'} field @param {readonly unknown[]} list */
  async function replace(operation, field, list) {
    const wanted = JSON.stringify(list);
    if (wanted === (inForce.get(operation) ?? '[]')) return;
    // Also if it fails: it may have had some effect.
    inForce.set(operation, '?');
    await tell(operation, { [field]: list }, list.length === 0);
    inForce.set(operation, wanted);
  }

  return {
    name,
    nodes,
    /** @param {string} id @param {Action} action `lose`: of its machine, with its other nodes */
    act(id, action) {
      const lost = action === 'lose' ? nodes.filter((node) => node.id !== id && node.whyNoStart === null) : [];
      const body = { node: nodeOf({ nodes }, id).at, action, besides: lost.map(({ at }) => at) };
      return tell('faults-act', body, UNDONE_BY[action] === undefined);
    },
    /** @param {readonly Cut[]} cuts all that there are anywhere @param {ReadonlySet<string>} machines addresses of all that have an agent */
    cut(cuts, machines) {
      const blocks = cuts.flatMap((cut) => partOf(cut, addresses, machines));
      return replace('faults-cut', 'blocks', blocks);
    },
    /** @param {readonly SlowedLane[]} lanes all that there are anywhere */
    slow(lanes) {
      const own = lanes.filter(({ from }) => addresses.has(from));
      return replace('faults-slow', 'lanes', own);
    },
    async undo() {
      if (!isDisturbed) return;
      await tell('faults-undo', {}, true);
      isDisturbed = false;
      inForce.clear();
    },
    place: (/** @type {Asked<'nodes-place'>} */ wanted) => ask(name, 'nodes-place', wanted),
    start: (/** @type {Asked<'nodes-start'>} */ deployment) => ask(name, 'nodes-start', deployment),
    rebuild: (/** @type {string} */ node) => ask(name, 'nodes-rebuild', { node }),
    stop: () => ask(name, 'nodes-stop', {}),
  };
}

/**
 * What one machine has to drop of it. Packets are dropped where they arrive, if an agent is there, else where they begin.
 * @param {Cut} cut @param {ReadonlySet<string>} addresses of this machine @param {ReadonlySet<string>} machines those of all agents
 * @returns {Cut[]}
 */
function partOf(cut, addresses, machines) {
  if (!('from' in cut)) return addresses.has(('around' in cut ? cut.around : cut.sentBy).host) ? [cut] : [];
  const arriving = { from: cut.from, to: cut.to.filter((host) => addresses.has(host)) };
  const leaving = {
    from: cut.from.filter((host) => addresses.has(host)),
    to: cut.to.filter((host) => !machines.has(host)),
  };
  return [arriving, leaving].filter(({ from, to }) => from.length > 0 && to.length > 0);
}
