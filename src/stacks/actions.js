/**
 * Actions on a node, and the action that undoes each.
 * @typedef {keyof typeof UNDOING} Disturbing an action that has to be undone; also the ability to do it
 * @typedef {'resume' | 'start' | 'join' | 'free'} Undoing
 * @typedef {'divide' | 'unite'} GroupAction of a whole network
 */

export const UNDOING = Object.freeze(
  /** @type {const} */ ({
    pause: 'resume',
    stop: 'start',
    kill: 'start',
    lose: 'start',
    partition: 'join',
    isolate: 'join',
    fill: 'free',
  }),
);

export const DISTURBING_ACTIONS = /** @type {Disturbing[]} */ (Object.keys(UNDOING));

export const UNDOING_ACTIONS = [...new Set(Object.values(UNDOING))];

/** @param {Undoing} action */
export function undoneBy(action) {
  return DISTURBING_ACTIONS.filter((each) => UNDOING[each] === action);
}

/** Everything that a command can be named for → what undoes it. @type {Readonly<Record<string, string>>} */
export const UNDONE_BY_COMMANDS = Object.freeze({ ...UNDOING, divide: 'unite' });

/** What a user can allow a run to do to an existing deployment by itself. @type {readonly ['failover']} */
export const ALLOWABLE = Object.freeze(['failover']);
