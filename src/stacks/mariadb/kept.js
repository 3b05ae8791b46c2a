/** What was set on nodes while they ran, and has to survive their restarts: in their configuration, or it is set again. */
import { literal } from './system.js';

/**
 * @import { Action, Control } from '../types.js'
 *
 * @typedef {Object} KeptSettings
 * @property {(id: string, name: string, value: string) => void} keep
 * @property {(id: string, action: Action | 'rebuild') => void} note what is about to be done to the node
 * @property {(id: string) => Promise<boolean>} setAgain when the node may have been started again or rebuilt: resolves when it answers and has its
 *   settings. true: they may have been those of another role
 */

/** After these, a server may have to be started again. @type {readonly (Action | 'rebuild')[]} */
const ENDING = ['stop', 'kill', 'lose', 'power-loss', 'fill', 'rebuild'];

/**
 * @param {Object} options
 * @param {(id: string) => Promise<void>} options.untilAnswers
 * @param {(id: string, question: (control: Control) => Promise<void>) => Promise<void>} options.ask
 * @param {KeptSettings['keep']} [options.inFile] writes it to the configuration with which the node starts again
 * @returns {KeptSettings}
 */
export function openKept({ untilAnswers, ask, inFile }) {
  /** @type {Map<string, Record<string, string>>} */
  const later = new Map();
  /** Nodes that may have lost it. @type {Set<string>} */
  const lost = new Set();
  return {
    keep(id, name, value) {
      if (inFile) inFile(id, name, value);
      else later.set(id, { ...later.get(id), [name]: value });
    },
    note(id, action) {
      if (!inFile && ENDING.includes(action)) lost.add(id);
    },
    async setAgain(id) {
      await untilAnswers(id);
      if (!lost.delete(id)) return false;
      await ask(id, async (control) => {
        for (const [name, value] of Object.entries(later.get(id) ?? {}))
          await control.call(`SET GLOBAL ${name} = ${literal(value)}`);
      });
      return true;
    },
  };
}
