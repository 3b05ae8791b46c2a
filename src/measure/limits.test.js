import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MIB } from '../units.js';
import { machineLimits } from './limits.js';

const root = mkdtempSync(join(tmpdir(), 'sentinel-bench-limits-'));
after(() => rmSync(root, { recursive: true, force: true }));

/** @param {Record<string, string>} files by path below the root */
function write(files) {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), `${text}\n`);
  }
}

const machine = { root, cores: 8, memoryBytes: 1024 * MIB };

test('the tightest limit of all control groups counts, in versions 1 and 2', () => {
  write({
    'a/b/cpu.max': '50000 100000',
    'a/cpu.max': '400000 100000',
    'a/b/memory.max': 'max',
    'a/memory.max': String(300 * MIB),
    'cpu/c/cpu.cfs_quota_us': '150000',
    'cpu/c/cpu.cfs_period_us': '100000',
    'memory/c/memory.limit_in_bytes': String(200 * MIB),
  });
  const status = 'Name:\tnode\nCpus_allowed_list:\t0,2-4\n';
  assert.deepEqual(machineLimits({ ...machine, status, membership: '0::/a/b\n' }), {
    usableCpus: 4,
    cpuQuota: 0.5,
    memoryLimitBytes: 300 * MIB,
  });
  assert.deepEqual(machineLimits({ ...machine, status, membership: '5:memory:/c\n3:cpu,cpuacct:/c\n' }), {
    usableCpus: 4,
    cpuQuota: 1.5,
    memoryLimitBytes: 200 * MIB,
  });
});

test('an unrestricted process has no limit, nor has one whose system does not tell', () => {
  write({
    'free/cpu.max': 'max 100000',
    'free/memory.max': 'max',
    'cpu/free/cpu.cfs_quota_us': '-1',
    'cpu/free/cpu.cfs_period_us': '100000',
    'memory/free/memory.limit_in_bytes': '9223372036854771712',
  });
  // The mask may name CPUs that the machine could have.
  const status = 'Cpus_allowed_list:\t0-127\n';
  for (const membership of ['0::/free\n', '4:memory:/free\n1:cpu:/free\n'])
    assert.deepEqual(machineLimits({ ...machine, status, membership }), {});
  assert.deepEqual(machineLimits({ ...machine, status: '', membership: '' }), {});
});
