import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import persistence from '../../bench/persistence/persistence.js';
import { faultBenchmarks } from '../../bench/sweep/failures.js';
import { healthy as sweepHealthy } from '../../bench/sweep/healthy.js';
import { ExitStatus, UserError } from '../errors.js';
import { redis } from '../stacks/redis/system.js';
import { nodesOf } from '../stacks/redis/topology.js';
import { randomFrom } from '../stats/random.js';
import { whySkipped } from './abilities.js';
import { makeCase } from './case.js';
import { mayMeasure, planBenchmarks } from './plan.js';
import { PROFILES } from './profiles.js';
import { preloadKeysFor } from './room.js';

const [sweepKilled] = faultBenchmarks;

/** @param {'local' | 'external'} backend @param {readonly string[]} can @returns {any} without an append-only file */
function testbedOf(backend, can) {
  const primary = { id: 'redis-1' };
  return {
    stack: {
      about: { backend, ours: backend === 'local', server: { name: 'redis', version: '7.0.15' } },
      can: new Set(can),
      database: { ...redis, primary: async () => primary },
      network: { groups: null },
      nodes: nodesOf(),
    },
    controls: new Map([[primary.id, { call: async () => ['appendonly', 'no'], info: async () => ({}) }]]),
    profile: PROFILES.quick,
    random: randomFrom(1),
    signal: new AbortController().signal,
  };
}

test('a case that needs another value than the user asks for is not measured', async () => {
  const testbed = testbedOf('local', ['configure', ...(sweepKilled.needs ?? [])]);
  testbed.profile = PROFILES.standard;
  const asked = (/** @type {object} */ more) =>
    planBenchmarks(testbed, /** @type {any} */ ({ trialParams: { downAfterMs: 2000 }, stack: {}, ...more }), []);
  const [{ whyNot, cases, notMeasured }] = await asked({ benchmarks: [sweepKilled] });
  assert.equal(whyNot, null);
  assert.deepEqual([...new Set(cases.map(({ params }) => params.downAfterMs))], [2000]);
  assert.deepEqual(
    [...new Set(notMeasured.map(({ reason }) => reason))],
    [1000, 30_000].map((ms) => `It needs down-after-milliseconds ${ms}. Leave out --down-after.`),
  );
  // No case is left.
  const late = { ...sweepKilled, cases: (/** @type {any} */ options) => sweepKilled.cases(options).slice(-1) };
  await assert.rejects(asked({ benchmarks: [late] }), /^UserError: It needs down-after-milliseconds 30000\.$/);
  // Beside each node is where the user wants all Sentinels.
  const first = (/** @type {any} */ options) => sweepKilled.cases(options).slice(0, 1);
  const twice = (/** @type {any} */ options) =>
    [undefined, 'colocated'].flatMap((placement) =>
      first(options).map(({ id, params }) => ({
        id: `${id}-${placement}`,
        params: { ...params, ...(placement && { placement }) },
      })),
    );
  const [{ cases: one, notMeasured: twin }] = await asked({
    benchmarks: [{ ...sweepKilled, cases: twice }],
    trialParams: { placement: 'colocated' },
  });
  assert.deepEqual(
    [one.length, twin.map(({ reason }) => reason)],
    [1, [`With these options it is the same as ${one[0].id}.`]],
  );
  const settings = { 'min-replicas-to-write': '2' };
  const [{ cases: fit }] = await asked({ benchmarks: [sweepKilled], stack: { settings } });
  assert.ok(fit.length > 0 && fit.every(({ params }) => params.settings?.['min-replicas-to-write'] === '2'));
});

test('on an existing deployment no case replaces an append-only file', async () => {
  const testbed = testbedOf('external', ['configure', 'stats', 'stop']);
  const storages = [{ label: 'tmp', path: '/tmp', emulated: false }];
  const options = { benchmarks: [sweepHealthy, persistence], stack: {} };
  const [healthy, skipped] = await planBenchmarks(testbed, /** @type {any} */ (options), storages);
  assert.equal(healthy.whyNot, null);
  assert.ok(healthy.cases.length > 0 && healthy.cases.every(({ params }) => params.settings?.appendonly !== 'yes'));
  assert.deepEqual(healthy.leftOut.toSorted(), [
    'aof',
    'min1-aof',
    'wait1-min1-aof',
    'wait1-min1-aof-always',
    'wait2-aof',
    'wait2-min2-aof-always',
  ]);
  assert.match(String(skipped.whyNot), /stacks of its own/);
  assert.deepEqual(skipped.leftOut, [], 'that is for another reason');
  // Trying the settings out would replace it as well.
  const withSettings = { benchmarks: [sweepHealthy], stack: { settings: { appendonly: 'yes' } } };
  await assert.rejects(planBenchmarks(testbed, /** @type {any} */ (withSettings), []), (error) => {
    assert.ok(error instanceof UserError, String(error));
    assert.match(error.message, /append-only file off/);
    assert.equal(error.exitStatus, ExitStatus.badInput);
    return true;
  });
});

test('a failover of an existing deployment names the option that allows it', () => {
  const external = /** @type {any} */ ({
    about: { backend: 'external', ours: false, server: { name: 'redis', version: '7.0.15' } },
  });
  assert.match(whySkipped(external, ['failover']), / cannot fail over by request here; .*--allow failover\.$/);
  assert.doesNotMatch(whySkipped(external, ['failover', 'pause']), /--allow/);
  const byAgents = { about: { ...external.about, endsWithRun: /** @type {const} */ (true) } };
  assert.match(
    whySkipped(byAgents, ['slow-link']),
    /^Agents cannot slow .*, which takes root, tc, and netem .*; use --backend local without --agents\.$/,
  );
  assert.match(
    whySkipped(byAgents, ['narrow-link']),
    /^Agents cannot narrow .*, and htb in their kernels; .*agents\.$/,
  );
  assert.match(whySkipped(byAgents, ['power-loss']), /^Agents cannot cut the power .*; use --backend hosts\.$/);
});

const GIB = 2 ** 30;

describe('how many keys are loaded', () => {
  const keys = (/** @type {keyof typeof PROFILES} */ name, /** @type {number} */ memoryBytes) =>
    preloadKeysFor(PROFILES[name], memoryBytes);

  test('the profile’s number, if they fit in a sixth of the free memory, else fewer; the largest profile is never reduced', () => {
    assert.equal(keys('quick', 20 * GIB), 2000);
    assert.equal(keys('standard', 3 * GIB), 2982);
    assert.equal(keys('quick', 1000), 1);
    assert.equal(keys('full', 6 * GIB), 375_795);
  });
});

describe('the append-only file of an existing deployment', () => {
  const on = makeCase({ settings: { appendonly: 'yes' } });
  const off = makeCase({ settings: { appendonly: 'no' } });
  /** @param {string | string[]} appendonly what its nodes have @param {'local' | 'external'} [backend] */
  const allowed = async (appendonly, backend = 'external') => {
    const controls = [appendonly].flat().map((value) => ({ call: async () => ['appendonly', value] }));
    const may = await mayMeasure(testbedOf(backend, ['configure']).stack, controls);
    return [may(on), may(off)];
  };

  test('is not switched on if a node has it off, on replicas or in another spelling either', async () => {
    assert.deepEqual(await allowed('no'), [false, true]);
    assert.deepEqual(await allowed('yes'), [true, true]);
    assert.deepEqual(await allowed(['yes', 'no', 'yes']), [false, true], 'a single replica may have the last copy');
    assert.deepEqual(await allowed('no', 'local'), [true, true], 'on a stack of our own nothing is lost');
    const { stack } = testbedOf('external', ['configure']);
    const may = await mayMeasure(stack, [{ call: async () => ['appendonly', 'no'] }]);
    assert.equal(may(makeCase({ replicaSettings: { appendonly: 'yes' } })), false);
    assert.equal(may(makeCase({ settings: { AppendOnly: 'YES' } })), false);
  });

  test('is not asked for if settings cannot be read', async () => {
    const { stack } = testbedOf('external', []);
    const call = () => assert.fail('asked');
    assert.equal((await mayMeasure(stack, [{ call }]))(on), true);
  });
});
