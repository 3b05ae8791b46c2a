import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { writersOf } from '../../src/registry/writers.js';
import { variationName } from '../../src/result/variation.js';
import { PROFILES } from '../../src/run/profiles.js';
import { SCENARIOS } from '../failure/scenario-checks.js';
import { benchmarkOf, downAfterOf } from './benchmark.js';
import { caseTitle, failureCases, TITLES } from './cases.js';
import { applies, EXPERIMENTS, experimentNamed, VARIATION_TITLES } from './index.js';
import { lengthTitle } from './lengths.js';

/** @import { Case } from '../../src/run/types.js' */

const OPTIONS = { profile: PROFILES.quick, server: { name: 'redis', version: '7.0.15' } };
const idsOf = (/** @type {Case[]} */ cases) => cases.map(({ id }) => id);

describe('cases of a failure benchmark', () => {
  test('both of our own writers, then each library with its example', () => {
    const cases = failureCases(OPTIONS, { modes: ['async', 'wait1'], libraries: ['wait1'] });
    assert.deepEqual(idsOf(cases), ['async', 'wait1', 'wait1-redis', 'wait1-ioredis']);
    assert.deepEqual(
      cases.map(({ params }) => params.writers),
      [
        ['sticky', 'failover-aware'],
        ['sticky', 'failover-aware'],
        writersOf('redis').map(({ name }) => name),
        writersOf('ioredis').map(({ name }) => name),
      ],
    );
  });

  test('a mode that the server does not know is left out', () => {
    const modes = /** @type {const} */ (['async', 'waitaof']);
    assert.deepEqual(idsOf(failureCases(OPTIONS, { modes })), ['async']);
    const server = { name: 'valkey', version: '8.0.1' };
    const [, waitaof] = failureCases({ ...OPTIONS, server }, { modes });
    assert.deepEqual([waitaof.params.wait, waitaof.params.waitLocal], [1, 1]);
    assert.equal(waitaof.params.settings?.appendonly, 'yes');
  });

  test('the larger profiles add the usual modes, where a benchmark asks for them', () => {
    const options = { ...OPTIONS, profile: PROFILES.standard };
    const wanted = { modes: /** @type {const} */ (['async', 'aof']), everyMode: true };
    assert.deepEqual(idsOf(failureCases(OPTIONS, wanted)), ['async', 'aof']);
    assert.deepEqual(idsOf(failureCases(options, wanted)), ['async', 'aof', 'min1', 'wait1', 'wait2', 'wait1-min1']);
    assert.deepEqual(idsOf(failureCases(options, { modes: ['async'] })), ['async']);
  });

  test('only the client that was asked for', () => {
    const wanted = { modes: /** @type {const} */ (['async']), libraries: /** @type {const} */ (['async']) };
    assert.deepEqual(idsOf(failureCases({ ...OPTIONS, client: 'native' }, wanted)), ['async']);
    assert.deepEqual(idsOf(failureCases({ ...OPTIONS, client: 'redis' }, wanted)), ['async-redis']);
    assert.deepEqual(failureCases({ ...OPTIONS, client: 'redis' }, { modes: ['async'] }), []);
  });

  test('a variation has a name of its own, and settings beside the mode’s', () => {
    const [one] = failureCases(OPTIONS, {
      modes: ['async'],
      variation: { setting: 'snapshot' },
      settings: { save: '3600 1' },
    });
    assert.equal(one.id, 'async-snapshot');
    assert.deepEqual(one.params.settings, { 'min-replicas-to-write': '0', save: '3600 1' });
  });
});

test('what a case measures differently', () => {
  /** @param {Parameters<typeof failureCases>[1]} wanted @param {object} [options] */
  const paramsOf = (wanted, options) => failureCases({ ...OPTIONS, ...options }, wanted)[0].params;
  const modes = /** @type {const} */ (['async']);
  assert.equal(paramsOf({ modes: ['waitaof-everysec'] }, { server: { name: 'valkey' } }).waitTimeoutMs, 2500);
  assert.deepEqual(paramsOf({ modes, replicaSettings: { save: '' } }).replicaSettings, { save: '' });
  const { downAfterMs, replicas, replicaSettings, waitMode } = paramsOf({ modes });
  assert.deepEqual([downAfterMs, replicas, replicaSettings, waitMode], [undefined, undefined, undefined, 'pipelined']);
  assert.equal(paramsOf({ modes, downAfterMs: 9 }).downAfterMs, 9);
  const sizes = [{}, { size: { replicas: 3 } }].map((how) => paramsOf({ modes, ...how }, { replicas: 4 }).replicas);
  assert.deepEqual(sizes, [4, 3]);
  const { waitMode: awaited, writers } = paramsOf({ modes: [], examples: ['wait1'] });
  assert.deepEqual([awaited, writers], ['sequential', ['redis-example']]);
  assert.deepEqual(idsOf(failureCases(OPTIONS, { modes: ['async', 'waitaof'], size: { replicas: 3 } })), ['async']);
});

test('a late failover waits for Sentinels that never miss a node', () => {
  const downAfter = ['primary-restarted-empty', 'primary-loading', 'primary-killed'].map((id) =>
    downAfterOf(experimentNamed(id)),
  );
  assert.deepEqual(downAfter, [{ downAfterMs: 30_000 }, { downAfterMs: 2000 }, {}]);
  const { promotes } = experimentNamed('primary-power-lost');
  assert.deepEqual([applies(promotes, 'in-place'), applies(promotes, 'promoted')], [false, true]);
});

test('a benchmark of one way of failing over says what differs', () => {
  const experiment = experimentNamed('planned-failover');
  const of = (/** @type {object} */ how) => benchmarkOf(experiment, { cases: () => [], ...how });
  const { fault, question, method } = experiment.ways?.['by-hand'] ?? {};
  const { title, ...byHand } = of({ way: 'by-hand' });
  assert.deepEqual([title, byHand.question, byHand.method], [fault, question, method]);
  assert.equal(of({ varied: true }).method, `${experiment.method} ${experiment.varied}`);
  assert.deepEqual([of({}).title, of({}).method], [experiment.title, experiment.method]);
});

test('a benchmark needs, and takes, what its experiment says', () => {
  for (const experiment of EXPERIMENTS) {
    const { late, promotes = false, disks, parameters, oneLane = false } = experiment;
    const { mostLanes, ...made } = benchmarkOf(experiment, { cases: () => [] });
    assert.deepEqual([made.beforeFailover, made.needsFailover, made.disks], [late, promotes, disks]);
    assert.deepEqual([made.parameters, mostLanes !== undefined], [parameters, oneLane]);
  }
});

test('titles of cases: no comma outside of parentheses within a mode', () => {
  const [one] = failureCases(OPTIONS, { modes: ['min1-lag1'], variation: { way: 'by-hand' } });
  assert.equal(caseTitle(one.params), 'min-replicas 1 (lag 1; by runbook)');
  assert.equal(TITLES.case({ ...one.params, client: 'redis' }), 'min-replicas 1 (lag 1; by runbook), node-redis');
  assert.equal(TITLES.case(one.params), caseTitle(one.params), 'the client of the harness is not named');
});

test('each variation that the suite failure selects is in the catalogue, or a length', () => {
  const isKnown = (/** @type {string} */ name) =>
    name === '' || name in VARIATION_TITLES || lengthTitle(name) !== undefined;
  for (const { cases } of SCENARIOS)
    for (const { params } of cases({ ...OPTIONS, profile: PROFILES.full, storages: [] }))
      assert.ok(isKnown(variationName(params)), variationName(params));
});
