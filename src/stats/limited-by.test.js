import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitedBy } from './summary.js';

const idle = { loadCpu: 0.3, eventLoopUtilization: 0.4, primaryMainThreadCpu: 0.4, machineCpu: 0.5 };

/** @type {[string, Partial<typeof idle> | Record<string, number | null>, string][]} */
const CASES = [
  ['everybody waits', {}, 'nothing'],
  ['a slow client', { loadCpu: 0.99, eventLoopUtilization: 1 }, 'client'],
  ['just busy enough', { loadCpu: 0.9 }, 'client'],
  ['not quite busy', { loadCpu: 0.89, eventLoopUtilization: 0.94 }, 'nothing'],
  ['a loop that blocks without CPU', { eventLoopUtilization: 0.95 }, 'client'],
  ['a loop that waits for a CPU', { eventLoopUtilization: 1, machineCpu: 0.95 }, 'machine'],
  ['a saturated primary', { loadCpu: 0.7, primaryMainThreadCpu: 0.97 }, 'primary'],
  ['both busy, the primary more', { loadCpu: 0.92, eventLoopUtilization: 0.93, primaryMainThreadCpu: 0.97 }, 'primary'],
  ['both busy alike', { loadCpu: 0.97, primaryMainThreadCpu: 0.97 }, 'client'],
  ['all cores busy, no thread', { loadCpu: 0.8, primaryMainThreadCpu: 0.8, machineCpu: 0.98 }, 'machine'],
  ['all cores busy, and the client', { loadCpu: 0.96, primaryMainThreadCpu: 0.5, machineCpu: 0.98 }, 'client'],
  ['all cores busy, and the primary', { loadCpu: 0.6, primaryMainThreadCpu: 0.95, machineCpu: 0.98 }, 'primary'],
  ['a machine just busy enough', { machineCpu: 0.9 }, 'machine'],
  ['a machine not quite busy', { machineCpu: 0.89 }, 'nothing'],
  ['a loop that waits, a machine just busy enough', { eventLoopUtilization: 1, machineCpu: 0.9 }, 'machine'],
  ['a primary just busy enough', { primaryMainThreadCpu: 0.9 }, 'primary'],
  ['a primary not quite busy', { primaryMainThreadCpu: 0.89 }, 'nothing'],
  ['CPU of the load thread not known', { loadCpu: null, eventLoopUtilization: 0.97 }, 'client'],
  ['CPU of the primary not known', { primaryMainThreadCpu: null }, 'nothing'],
];

for (const [what, use, expected] of CASES) {
  test(`${what}: ${expected}`, () => {
    assert.equal(limitedBy({ ...idle, ...use }), expected);
  });
}
