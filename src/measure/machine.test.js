import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import { cpuTimes, machineUse, sampleMachine } from './machine.js';

test('use is the busy share of all cores', () => {
  assert.equal(machineUse({ busyMs: 100, idleMs: 500 }, { busyMs: 130, idleMs: 570 }), 0.3);
  assert.equal(machineUse({ busyMs: 100, idleMs: 500 }, { busyMs: 300, idleMs: 500 }), 1);
  assert.equal(machineUse({ busyMs: 100, idleMs: 500 }, { busyMs: 100, idleMs: 900 }), 0);
});

test('use is 0 without elapsed time, and stays within 0 … 1 when an idle counter goes back', () => {
  const sample = { busyMs: 100, idleMs: 500 };
  assert.equal(machineUse(sample, sample), 0);
  assert.equal(machineUse(sample, { busyMs: 150, idleMs: 490 }), 1);
});

test('only CPUs that the process may use count, and a quota that holds it back', () => {
  const text = 'cpu  99 0 0 99\ncpu0 10 0 0 0 0 0 0\ncpu1 0 0 0 70 0 0 0\n';
  assert.deepEqual(cpuTimes(text, [0]), { busyMs: 100, idleMs: 0 });
  assert.deepEqual(cpuTimes(text, []), { busyMs: 100, idleMs: 700 });
  const sample = { busyMs: 0, idleMs: 0, quota: { periods: 10, throttled: 5 } };
  assert.equal(machineUse(sample, { busyMs: 20, idleMs: 80, quota: { periods: 20, throttled: 14 } }), 0.9);
  assert.equal(machineUse({ ...sample, quota: null }, { busyMs: 20, idleMs: 80, quota: null }), 0.2);
});

test('a busy thread raises the figure of this machine', () => {
  const before = sampleMachine();
  const began = process.cpuUsage();
  const usedMs = () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  };
  // CPU time, not time: a machine that is given to others for a while keeps no program busy.
  while (usedMs() < 300);
  const after = sampleMachine();
  assert.ok(after.busyMs - before.busyMs > 150, `${after.busyMs - before.busyMs} ms, of them ${usedMs()} ms are ours`);
  const use = machineUse(before, after);
  assert.ok(use > 0 && use <= 1, `${use}`);
});

test('waiting for storage does not count as busy', {
  skip: process.platform !== 'linux' && 'there is no /proc',
}, () => {
  // In this order: whatever time lies between the two, the later one has more.
  const all = os
    .cpus()
    .reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq + times.idle, 0);
  const { busyMs, idleMs } = sampleMachine();
  // What Node leaves out is in one of the two.
  assert.ok(busyMs + idleMs >= all * 0.99, `${busyMs} ms and ${idleMs} ms, of ${all} ms`);
});
