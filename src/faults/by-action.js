import { UNDOING } from '../stacks/actions.js';

/**
 * @import { Disturbing } from '../stacks/actions.js'
 * @import { Fault } from './types.js'
 */

/**
 * A fault that is one action of the cluster, undone by another.
 *
 * @param {Disturbing} action also the fault's name, and the ability it needs
 * @param {string} what happens to the node
 * @returns {Fault}
 */
export function faultByAction(action, what) {
  return {
    name: action,
    what,
    needs: [action],
    async inject({ cluster, journal }, id) {
      const undo = await journal.note({ kind: 'act', id, action: UNDOING[action] });
      await cluster.act(id, action);
      return undo;
    },
  };
}
