import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from './fixture.js';
import { nodeUse, sampleNodes } from './nodes.js';

for (const program of ['redis-server', 'valkey-server']) {
  test(`${program}: the CPU its work takes shows, on the thread that executes commands`, async (t) => {
    const { control } = await startServer(t, program, () => ['--enable-debug-command', 'yes']);
    const connections = new Map([['redis-1', control]]);
    const before = await sampleNodes(connections);
    // Creating keys keeps the command thread on a CPU; its own clock tells for how long, whatever else the machine does.
    await control.call('DEBUG', 'POPULATE', 200_000, 'key', 10);
    const after = await sampleNodes(connections);
    const [use] = nodeUse(before, after, { 'redis-1': 'primary' });

    assert.equal(use.id, 'redis-1');
    assert.equal(use.role, 'primary');
    const seconds = (after[0].atMs - before[0].atMs) / 1000;
    const spent = Number(after[0].cpuSeconds) - Number(before[0].cpuSeconds);
    assert.ok(spent > 0.005, `${spent} s of CPU`);
    assert.equal(use.cpu, spent / seconds);
    assert.ok(Number(use.mainThreadCpu) > 0.5 * Number(use.cpu), `${use.mainThreadCpu} of ${use.cpu}`);
    assert.ok(Number(use.mainThreadCpu) <= Number(use.cpu) + 0.1);
    assert.ok(use.memoryBytes > 200_000 * 10, `${use.memoryBytes} bytes hold what was written`);
  });
}

/** @param {Partial<import('./nodes.js').NodeSample>} sample */
const sampled = (sample) => ({
  id: 'redis-1',
  atMs: 1000,
  cpuSeconds: 10,
  mainThreadCpuSeconds: 9,
  memoryBytes: 5,
  ...sample,
});

test('use is CPU seconds a second', () => {
  const after = sampled({ atMs: 3000, cpuSeconds: 11.5, mainThreadCpuSeconds: 10 });
  assert.deepEqual(nodeUse([sampled({})], [after], { 'redis-1': 'replica' }), [
    { id: 'redis-1', role: 'replica', cpu: 0.75, mainThreadCpu: 0.5, memoryBytes: 5 },
  ]);
});

test('CPU is null when it is not told, when the node was restarted, and when it was not there before', () => {
  const cpuOf = (
    /** @type {ReturnType<typeof sampled>[]} */ before,
    /** @type {ReturnType<typeof sampled>} */ after,
  ) => {
    const [use] = nodeUse(before, [after], { 'redis-1': 'replica' });
    return [use.cpu, use.mainThreadCpu];
  };
  const later = sampled({ atMs: 2000, cpuSeconds: 10.5, mainThreadCpuSeconds: 9.5 });
  assert.deepEqual(cpuOf([sampled({ mainThreadCpuSeconds: null })], { ...later, mainThreadCpuSeconds: null }), [
    0.5,
    null,
  ]);
  assert.deepEqual(cpuOf([sampled({})], { ...later, cpuSeconds: 0.1, mainThreadCpuSeconds: 0.1 }), [null, null]);
  assert.deepEqual(cpuOf([], later), [null, null]);
});

test('a node that does not answer is not passed over', async () => {
  const connections = new Map([['redis-1', { info: () => Promise.reject(new Error('gone')) }]]);
  await assert.rejects(sampleNodes(connections), /gone/);
});
