/**
 * The primary fails while clients have lost what they hear from the Sentinels. A client that waits for a message alone never learns of the promotion.
 */
import { kill } from '../../src/faults/index.js';
import { PROMOTED, PROMOTING } from '../../src/run/perform.js';
import { askNode } from '../../src/stacks/ask.js';
import { WATCHER } from '../../src/stacks/redis/sentinel-events.js';

/** @import { Fault } from '../../src/faults/types.js' */

/** @type {Fault} */
const cutSubscribers = {
  name: 'sentinel-connection-lost',
  what: 'closes the connections of all clients that wait for its messages (CLIENT KILL)',
  needs: [],
  async inject({ stack }, id) {
    await askNode(stack, id, async (control) => {
      const list = String(await control.call('CLIENT', 'LIST', 'TYPE', 'pubsub'));
      for (const client of subscribersIn(list)) await control.call('CLIENT', 'KILL', 'ID', client);
    });
    // The clients connect again.
    return async () => {};
  },
};

/**
 * @param {string} list the reply to CLIENT LIST
 * @returns {string[]} ids of the clients, without the one that writes the timeline
 */
export function subscribersIn(list) {
  return list.split('\n').flatMap((line) => {
    const id = /^id=(\d+) /.exec(line)?.[1];
    return id === undefined || line.includes(` name=${WATCHER} `) ? [] : [id];
  });
}

/** @type {import('./types.js').Performed} */
export default {
  id: 'sentinel-connection-lost',
  needs: kill.needs,
  promotes: true,
  steps: [
    { at: 0, fault: cutSubscribers, on: 'sentinels', prepares: true },
    { at: 0, fault: kill, until: PROMOTED },
    { when: PROMOTING, fault: cutSubscribers, on: 'sentinels', prepares: true },
  ],
};
