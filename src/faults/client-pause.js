import { askNode } from './ask.js';

/** @import { Fault } from './types.js' */

/** What a node needs to answer once the pause is over. */
const SLACK_MS = 3000;

/**
 * `CLIENT PAUSE`: the node holds back what clients send (mode ALL: everything, also what Sentinels and we ask; WRITE: only
 * what changes data), and answers it afterwards. It ends by itself. A pause of mode ALL also holds back the UNPAUSE that
 * would end it: undoing it means waiting for its end.
 *
 * @param {number} ms ≥ 1
 * @param {'WRITE' | 'ALL'} mode
 * @returns {Fault}
 */
export function clientPause(ms, mode) {
  return Object.freeze({
    name: 'client-pause',
    what: `holds back ${mode === 'ALL' ? 'every command' : 'writes'} for ${ms} ms (CLIENT PAUSE)`,
    needs: [],
    /** @type {Fault['inject']} */
    async inject({ cluster, journal }, id) {
      const undo = await journal.note({
        kind: 'call',
        id,
        command: ['CLIENT', 'UNPAUSE'],
        ...(mode === 'ALL' && { withinMs: ms + SLACK_MS }),
      });
      await askNode(cluster, id, (control) => control.call('CLIENT', 'PAUSE', ms, mode));
      return undo;
    },
  });
}
