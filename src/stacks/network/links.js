/**
 * What lies between the nodes of a local stack: a relay, a switch between hosts, or nothing.
 *
 * @typedef {Object} Links
 * @property {readonly Ability[]} can what the stack can do because of them
 * @property {(id: string, from: 'peers' | 'everybody') => Promise<void>} separate
 * @property {(id: string) => Promise<void>} join undoes `separate`; idempotent
 * @property {(id: string) => Promise<void>} lose kills the node; its peers get nothing more, not even what was under way, and are not told
 * @property {(id: string) => Promise<string[]>} restore undoes `lose` before the node starts again, also in part; returns the ids of the nodes that were
 *   lost with it; idempotent
 * @property {StackNetwork['slow']} slow
 * @property {() => Promise<string[]>} clear removes every partition and shape; returns the nodes that may have been separated; idempotent
 */

import { problem } from '../texts.js';

/** @import { Ability, StackNetwork } from '../types.js' */

/** @type {Links} */
export const NO_LINKS = Object.freeze({
  can: [],
  separate: async (id) => lacking(`separate ${id}`),
  join: async (id) => lacking(`join ${id} to its peers`),
  lose: async (id) => lacking(`lose the machine of ${id}`),
  restore: async () => [],
  slow: async () => lacking('slow links'),
  clear: async () => [],
});

/**
 * @param {string} what a stack cannot do
 * @returns {never}
 */
export function lacking(what) {
  throw problem('no-links', { what });
}
