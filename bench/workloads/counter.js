/**
 * A counter that gives numbers, such as of invoices: INCR.
 *
 * Invariant: no number is given twice, and at the end the counter is at least as high as the number of acknowledged increments.
 * @import { Counted, Operation, Workload } from './types.js'
 */
import { acknowledged, groupBy, nowUs } from './history.js';

const EVERY_MS = 20;
const KEY = 'counter';

/** @type {Workload} */
export const counter = {
  name: 'counter',
  title: 'counter',
  roles: {
    client: {
      processes: 4,
      async run(site) {
        const key = `${site.prefix}${KEY}`;
        while (!site.stopped()) {
          await site.write({ op: 'increment', key }, ['INCR', key], (value) => ({ value: Number(value) }));
          await site.pause(EVERY_MS);
        }
      },
    },
  },
  async drain(site) {
    const key = `${site.prefix}${KEY}`;
    const begin = nowUs();
    site.line({ op: 'final', key, value: Number((await site.ask('GET', key)) ?? 0), begin });
  },
  check: checkCounter,
  timed: 'increment',
  harms: { givenTwice: 'the same number issued twice', missing: 'acknowledged increments missing' },
};

/** @param {readonly Operation[]} history @returns {Counted} `missing` only if the counter was read at the end */
function checkCounter(history) {
  const given = acknowledged(history, 'increment');
  const finals = groupBy(acknowledged(history, 'final'), ({ key }) => key);
  let [twice, missing] = [0, 0];
  for (const [key, ofKey] of groupBy(given, (line) => line.key)) {
    twice += ofKey.length - new Set(ofKey.map(({ value }) => value)).size;
    const final = finals.get(key)?.at(-1);
    if (final) missing += Math.max(0, ofKey.length - Number(final.value));
  }
  return { acknowledged: given.length, givenTwice: twice, ...(finals.size > 0 && { missing }) };
}
