/** The controller's side of the host that an agent serves. What is to be undone there, and how, the agent itself notes. */
import { UNDONE_BY } from './host-protocol.js';

/**
 * @import { Action, Address } from '../stacks/types.js'
 * @import { Controller } from './controller.js'
 * @import { Cut, SlowedLane } from './host-protocol.js'
 *
 * @typedef {ReturnType<typeof openHost>} HostClient
 */

const NOTHING = '[]';

/** @param {Controller} controller @param {string} agent of which it is the host */
export function openHost(controller, agent) {
  let isDisturbed = false;
  const inForce = { blocks: NOTHING, lanes: NOTHING };

  /** @param {'faults-act' | 'faults-cut' | 'faults-slow' | 'faults-undo'} operation @param {any} body @param {boolean} undoing */
  async function tell(operation, body, undoing) {
    if (!undoing) isDisturbed = true;
    try {
      await controller.ask(agent, operation, body);
    } catch (error) {
      if (!undoing) throw error;
      // An agent that was away has undone its faults, or its recovery did. Doing it again does no harm.
      await controller.renew();
      await controller.ask(agent, operation, body);
    }
  }

  /** @param {'faults-cut' | 'faults-slow'} operation @param {keyof typeof inForce} field @param {readonly unknown[]} list */
  async function replace(operation, field, list) {
    const wanted = JSON.stringify(list);
    if (wanted === inForce[field]) return;
    // Also if it fails: it may have had some effect.
    inForce[field] = '?';
    await tell(operation, { [field]: list }, list.length === 0);
    inForce[field] = wanted;
  }

  return {
    /** @param {Address} node @param {Action} action @param {readonly Address[]} besides nodes of its machine, which are lost with it */
    act: (node, action, besides) => tell('faults-act', { node, action, besides }, UNDONE_BY[action] === undefined),
    /** @param {readonly Cut[]} blocks all that its machine is to drop */
    cut: (blocks) => replace('faults-cut', 'blocks', blocks),
    /** @param {readonly SlowedLane[]} lanes all that are to be slow there */
    slow: (lanes) => replace('faults-slow', 'lanes', lanes),
    async undo() {
      if (!isDisturbed) return;
      await tell('faults-undo', {}, true);
      isDisturbed = false;
      Object.assign(inForce, { blocks: NOTHING, lanes: NOTHING });
    },
  };
}
