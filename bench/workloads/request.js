/**
 * A request key, by which a service recognises a request that it has seen: SET NX. Every server of the service gets every request, at once or seconds later, as
 * when a client sends it again.
 *
 * Invariant: at most one server accepts a request as new.
 * @import { Counted, Operation, Workload } from './types.js'
 */
import { acknowledged, groupBy, nowUs, US_A_MS } from './history.js';

const EVERY_MS = 40;
const LATER_MS = [0, 0, 1000, 3000];
const KEPT_SECONDS = 3600;

/** @type {Workload} */
export const request = {
  name: 'request',
  title: 'request key',
  roles: {
    client: {
      processes: LATER_MS.length,
      async run(site) {
        const beganAt = nowUs();
        await site.pause(LATER_MS[site.index]);
        for (let number = 0; !site.stopped(); number++) {
          const key = `${site.prefix}request:${number}`;
          await site.write(
            { op: 'accept', key },
            ['SET', key, site.process, 'NX', 'EX', String(KEPT_SECONDS)],
            (reply) => (reply === null ? { outcome: 'no' } : {}),
          );
          const dueMs = (number + 1) * EVERY_MS + LATER_MS[site.index];
          await site.pause(Math.max(0, dueMs - (nowUs() - beganAt) / US_A_MS));
        }
      },
    },
  },
  check: checkRequests,
  timed: 'accept',
  harms: { acceptedTwice: 'a request accepted twice' },
};

/** @param {readonly Operation[]} history @returns {Counted} */
function checkRequests(history) {
  const byKey = [...groupBy(acknowledged(history, 'accept'), ({ key }) => key).values()];
  return {
    acknowledged: byKey.length,
    acceptedTwice: byKey.filter((accepted) => accepted.length > 1).length,
  };
}
