import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { redis as system } from '../stacks/redis/system.js';
import { readCounters } from '../stacks/redis/usage.js';
import { startServer } from './fixture.js';
import { nodeUse, sampleCpu, sampleState, withBackend } from './nodes.js';

/** @import { CpuSample, NodeSamples } from './nodes.js' */

for (const program of ['redis-server', 'valkey-server']) {
  test(`${program}: its CPU use is measured, also of the thread that executes commands`, {
    skip: await needs(program),
  }, async (t) => {
    const { control } = await startServer(t, program, () => ['--enable-debug-command', 'yes']);
    const connections = new Map([['redis-1', control]]);
    const before = { state: await sampleState(system, connections), cpu: await sampleCpu(system, connections) };
    // Creating keys keeps the command thread on a CPU, and its own clock measures for how long.
    await control.call('DEBUG', 'POPULATE', 200_000, 'key', 10);
    const after = { state: await sampleState(system, connections), cpu: await sampleCpu(system, connections) };
    const [use] = nodeUse(before, after, { 'redis-1': 'primary' });

    assert.equal(use.id, 'redis-1');
    assert.equal(use.role, 'primary');
    const [[from], [to]] = [before.cpu, after.cpu];
    const seconds = (to.atMs - from.atMs) / 1000;
    const spent = Number(to.cpuSeconds) - Number(from.cpuSeconds);
    assert.ok(spent > 0.005, `${spent} s of CPU`);
    assert.equal(use.cpu, spent / seconds);
    assert.ok(Number(use.mainThreadCpu) > 0.5 * Number(use.cpu), `${use.mainThreadCpu} of ${use.cpu}`);
    assert.ok(Number(use.mainThreadCpu) <= Number(use.cpu) + 0.1);
    assert.ok(Number(use.memoryBytes) > 200_000 * 10, `${use.memoryBytes} bytes hold what was written`);
  });
}

/** @param {Partial<Omit<CpuSample, 'id'>> & {runId?: string}} [sample] @returns {NodeSamples} of one node */
const sampled = ({ runId = 'first', ...cpu } = {}) => ({
  cpu: [{ id: 'redis-1', atMs: 1000, cpuSeconds: 10, mainThreadCpuSeconds: 9, ...cpu }],
  state: [
    {
      id: 'redis-1',
      runId,
      memoryBytes: 5,
      counters: readCounters({ evicted_keys: '3', rejected_connections: '0', sync_full: '2', latest_fork_usec: '80' }),
    },
  ],
});

describe('what the backend counts', () => {
  const sample = {
    id: 'sentinel-1',
    cpuSeconds: 1,
    memoryBytes: 700,
    networkInBytes: 10,
    networkOutBytes: 20,
    blockInBytes: 30,
    blockOutBytes: 40,
    pids: 4,
  };

  test('a restarted node has no figures; a stopped node is left out', () => {
    const redis = nodeUse(sampled(), sampled(), { 'redis-1': 'primary' });
    const stopped = { ...sample, id: 'sentinel-2' };
    const again = {
      ...sample,
      cpuSeconds: 0.5,
      networkInBytes: 1,
      networkOutBytes: 1,
      blockInBytes: 1,
      blockOutBytes: 1,
    };
    const nodes = withBackend(redis, { atMs: 0, samples: [sample, stopped] }, { atMs: 2000, samples: [again] });
    assert.deepEqual(
      nodes.map(({ id, cpu, networkInBytes, pids }) => ({ id, cpu, networkInBytes, pids })),
      [
        { id: 'redis-1', cpu: null, networkInBytes: null, pids: null },
        { id: 'sentinel-1', cpu: null, networkInBytes: null, pids: 4 },
      ],
    );
  });
});
