import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coordinatedFailover, failover } from '../../src/faults/index.js';
import { planBenchmarks } from '../../src/run/plan.js';
import { PROFILES } from '../../src/run/profiles.js';
import { redis } from '../../src/stacks/redis/system.js';
import { randomFrom } from '../../src/stats/random.js';
import { COORDINATED } from '../experiments/failover-script.js';
import { modesNamed } from '../modes.js';
import { faultBenchmarks } from '../sweep/failures.js';
import { performed, scenarioNamed } from './fixture.js';

const plannedFailover = scenarioNamed('planned-failover');

const REASON =
  'The Sentinels of redis 7.0.15 do not know SENTINEL FAILOVER … COORDINATED. It needs Valkey 9.0 or later; name one with --server.';

const sweepCoordinated = faultBenchmarks.filter(({ name }) => name === 'sweep-failover-coordinated');

/** @param {{name: string, version: string}} server @param {readonly string[]} [more] abilities */
async function planOn(server, more = []) {
  const primary = { id: 'redis-1' };
  const testbed = /** @type {any} */ ({
    stack: {
      about: { backend: 'local', ours: true, server },
      can: new Set(['failover', 'configure', ...more]),
      nodes: ['redis-1', 'redis-2', 'redis-3'].map((id) => ({ id, kind: 'redis' })),
      database: { ...redis, primary: async () => primary },
      network: { groups: null },
    },
    controls: new Map([[primary.id, { info: async () => ({}) }]]),
    profile: PROFILES.quick,
    random: randomFrom(1),
    signal: new AbortController().signal,
  });
  const options = /** @type {any} */ ({ benchmarks: [plannedFailover, ...sweepCoordinated], stack: {} });
  const [scenario, sweep] = await planBenchmarks(testbed, options, []);
  const coordinated = scenario.cases.filter(({ params }) => params.way === COORDINATED).map(({ id }) => id);
  return { scenario, sweep, coordinated };
}

describe('a coordinated failover', () => {
  test('is measured where the Sentinels know it', async () => {
    const { scenario, sweep, coordinated } = await planOn({ name: 'valkey', version: '9.1.2' }, [
      'coordinated-failover',
    ]);
    assert.deepEqual(
      coordinated,
      modesNamed(['planned', 'safest']).map((mode) => `${mode}-coordinated`),
    );
    assert.deepEqual([scenario.whyNot, scenario.notMeasured, sweep.whyNot], [null, [], null]);
  });

  test('elsewhere it is left out with one reason and the remedy, and the other cases are measured', async () => {
    const { scenario, sweep, coordinated } = await planOn({ name: 'redis', version: '7.0.15' });
    assert.deepEqual(coordinated, []);
    assert.ok(scenario.cases.some(({ id }) => id === 'async-by-hand'));
    assert.equal(scenario.whyNot, null);
    // This server has no WAITAOF either.
    const modes = modesNamed(['planned', 'safest']).filter((mode) => mode !== 'waitaof');
    assert.deepEqual(
      scenario.notMeasured,
      modes.map((mode) => ({ id: `${mode}-coordinated`, reason: REASON })),
    );
    assert.equal(sweep.whyNot, REASON);
  });

  test('is what the script asks for in its cases only', async () => {
    const asked = async (/** @type {typeof plannedFailover} */ benchmark, /** @type {string | undefined} */ way) =>
      (await performed(benchmark, { way })).faults;
    assert.deepEqual(await asked(plannedFailover, undefined), [failover]);
    assert.deepEqual(await asked(plannedFailover, COORDINATED), [coordinatedFailover]);
    assert.deepEqual(await asked(sweepCoordinated[0], undefined), [coordinatedFailover]);
  });
});
