import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROFILES } from '../src/run/profiles.js';
import failure from './failure/index.js';
import { allBenchmarks } from './index.js';
import { SCENARIOS } from './undone-scenarios-fixture.js';

/** @import { CaseOptions } from '../src/run/types.js' */

/** Their faults are single ones of src/faults, which the crash tests undo after each step on real servers. */
const SINGLE_FAULTS = [
  'replicas-paused',
  'replica-restart',
  'replica-slow',
  'primary-killed',
  'primary-machine-lost',
  'primary-stopped',
  'primary-paused',
  'primary-partition',
  'primary-isolated',
  'primary-restarted-empty',
  'primary-power-lost',
  'sentinels-lost',
  'sentinel-connection-lost',
];

const OLD_AND_NEW = [
  { id: 'redis-7.0.15', name: 'redis', version: '7.0.15' },
  { id: 'valkey-8.0.1', name: 'valkey', version: '8.0.1' },
  { id: 'valkey-9.1.2', name: 'valkey', version: '9.1.2' },
];
const SERVERS = { server: OLD_AND_NEW[0], servers: OLD_AND_NEW };

test('every scenario of failures is ended in each of its steps, or has a single fault', () => {
  const tested = Object.entries(SCENARIOS).map(([name, { benchmark = name }]) => benchmark);
  const names = failure.benchmarks.filter(({ kind }) => kind === 'trial').map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !tested.includes(name) && !SINGLE_FAULTS.includes(name)),
    [],
    'add it to bench/undone-scenarios-fixture.js, or to SINGLE_FAULTS here',
  );
  assert.deepEqual(
    SINGLE_FAULTS.filter((name) => tested.includes(name) || !names.includes(name)),
    [],
  );
});

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  test(`${name}: the case that is ended in each step exists`, () => {
    const options = /** @type {CaseOptions} */ (
      /** @type {unknown} */ ({ ...SERVERS, profile: PROFILES[scenario.profile ?? 'quick'] })
    );
    const benchmark = allBenchmarks.get(scenario.benchmark ?? name);
    const ids = benchmark?.cases(options).map(({ id }) => id) ?? [];
    assert.ok(
      ids.some((id) => scenario.case.test(id)),
      `no case matches ${scenario.case}: ${ids.join(', ')}`,
    );
  });
}
