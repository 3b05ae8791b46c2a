/**
 * As src/faults/crash.test.js, for faults that belong to a suite: the process dies after any of their steps, and a recovery restores the stack.
 */
import { describe, test } from 'node:test';
import { assertRestoredAfterEachStep, NODES } from '../src/faults/crash-world-fixture.js';
import { keepStateApart } from '../src/faults/fixture.js';
import { emptied, fillAndStart, preferred, quorumOne, settingsFault, slowSnapshot } from './experiments/own-faults.js';
import { slowFile } from './experiments/primary-loading.js';

/**
 * @import { Fault } from '../src/faults/types.js'
 * @import { NodeHost } from '../src/stacks/types.js'
 */

const [PRIMARY, REPLICA] = NODES;

/** A script takes this long, so that its fault has the same steps each time. */
const SCRIPT_MS = 4000;

/** @returns {() => number} a clock that each question moves on */
function movingClock() {
  let ms = 0;
  return () => (ms += SCRIPT_MS);
}

/** @param {Fault} fault @returns {Fault} into a node that ends itself when its disk is full */
function endingNode(fault) {
  return {
    ...fault,
    inject({ stack, journal }, id) {
      /** @type {NodeHost['act']} */
      const act = async (node, action) => {
        await stack.host.act(node, action);
        if (action === 'fill') await stack.host.act(node, 'kill');
      };
      return fault.inject({ stack: { ...stack, host: { ...stack.host, act } }, journal }, id);
    },
  };
}

/** @type {{fault: Fault, id: string}[]} */
const FAULTS = [
  { fault: preferred, id: REPLICA },
  { fault: emptied, id: REPLICA },
  { fault: quorumOne, id: PRIMARY },
  { fault: slowSnapshot, id: PRIMARY },
  { fault: slowFile(movingClock()), id: PRIMARY },
  { fault: endingNode(fillAndStart), id: PRIMARY },
  {
    fault: settingsFault('both', 'gets two settings', { sentinels: { quorum: '1', 'failover-timeout': '3000' } }),
    id: PRIMARY,
  },
];

describe('a crash after any step', () => {
  keepStateApart();

  for (const { fault, id } of FAULTS) {
    test(`${fault.name} of ${id}`, () => assertRestoredAfterEachStep((site) => fault.inject(site, id)));
  }
});
