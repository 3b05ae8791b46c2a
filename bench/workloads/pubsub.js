/**
 * Messages without a store: PUBLISH and SUBSCRIBE.
 *
 * Invariant: every subscriber gets every message that was published with an acknowledgement while all was well. Redis promises no more than “at most once”.
 * @import { Counted, Operation, Workload } from './types.js'
 */
import { acknowledged, groupBy, nowUs } from './history.js';

const EVERY_MS = 50;
const AGAIN_MS = 50;
/** Before the first message, and after the last one. */
const SETTLE_MS = 500;

/** @type {Workload} */
export const pubsub = {
  name: 'pubsub',
  title: 'publish and subscribe',
  roles: {
    worker: {
      processes: 2,
      async run(site) {
        const receive = (/** @type {string} */ value) => void site.line({ op: 'receive', value, begin: nowUs() });
        while (!site.stopped()) {
          await site.subscribe(`${site.prefix}channel`, receive);
          await site.pause(AGAIN_MS);
        }
      },
    },
    producer: {
      processes: 2,
      async run(site) {
        const channel = `${site.prefix}channel`;
        await site.pause(SETTLE_MS);
        for (let number = 0; !site.stopped(); number++) {
          const value = `${site.process}-${number}`;
          await site.write({ op: 'publish', value }, ['PUBLISH', channel, value]);
          await site.pause(EVERY_MS);
        }
      },
    },
  },
  check: checkMessages,
  timed: 'publish',
  harms: { missed: 'a message that a subscriber missed' },
};

/** @param {readonly Operation[]} history @returns {Counted} missed: messages that at least one subscriber did not get */
function checkMessages(history) {
  const published = acknowledged(history, 'publish');
  const received = groupBy(acknowledged(history, 'receive'), ({ process }) => process);
  const got = [...received.values()].map((lines) => new Set(lines.map(({ value }) => value)));
  return {
    acknowledged: published.length,
    missed: published.filter(({ value }) => got.length === 0 || got.some((values) => !values.has(value))).length,
  };
}
