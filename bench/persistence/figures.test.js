import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { interval, times } from '../../src/format.js';
import { summarise } from '../../src/stats/summary.js';
import { besideRate, effectOn, meanOf, offOf, ratiosTo, sentShare, verdictOn } from './figures.js';
import { persisted, persistenceResult, WITH_AOF } from './fixture.js';

/** @import { CaseResult } from '../../src/result/schema.js' */

const GET = /** @type {const} */ ({ operation: 'get' });
const off = persisted('off', {}, { writes: 3000, medianNs: 1.2e6 });

describe('latency of SET', () => {
  const verdict = (/** @type {CaseResult} */ result, base = off) => {
    const ratios = ratiosTo(result, base);
    assert.ok(ratios);
    return verdictOn(result, ratios);
  };
  const everysec = (/** @type {number} */ writes, /** @type {number} */ medianNs) =>
    persisted('everysec', {}, { writes, medianNs, counters: WITH_AOF });

  test('good: at most twice the p99, and at most 10 ms', () => assert.equal(verdict(everysec(2900, 2e6)), 'good'));

  test('not good: more than twice, although below 10 ms', () => {
    const result = everysec(2900, 3e6);
    assert.ok(result.summary.latencyNs.p99 < 10e6);
    assert.equal(verdict(result), 'not good');
  });

  test('not good: above 10 ms, although little more than without persistence', () => {
    const slowly = persisted('off', {}, { writes: 2000, medianNs: 10e6 });
    assert.equal(verdict(everysec(2000, 10.5e6), slowly), 'not good');
  });

  test('too few answers for a p99 give no verdict, unless the p50 is too long', () => {
    assert.equal(verdict(everysec(50, 1.2e6)), 'too few answers');
    assert.equal(verdict(everysec(50, 30e6)), 'not good');
  });

  test('rounds that disagree leave it undecided', () => {
    const result = everysec(2900, 2e6);
    result.rounds[0].latencyNs.p99 *= 20;
    result.summary = summarise(result.rounds, null, { seed: 1 });
    assert.equal(verdict(result), 'undecided');
  });
});

describe('effect on GET', () => {
  const before = persisted('off', GET, { writes: 3000, medianNs: 1.2e6 });
  const effect = (/** @type {CaseResult} */ result) => {
    const ratios = ratiosTo(result, before);
    assert.ok(ratios);
    return effectOn(ratios);
  };

  for (const [expected, everysec] of /** @type {const} */ ([
    ['affected', persisted('everysec', GET, { writes: 2000, medianNs: 1.2e6 })],
    ['affected', persisted('everysec', GET, { writes: 3000, medianNs: 2.4e6 })],
    ['not affected', persisted('everysec', GET, { writes: 2950, medianNs: 1.2e6 })],
  ]))
    test(`${expected}: ${everysec.summary.throughput.median} a second`, () => assert.equal(effect(everysec), expected));

  test('rounds that disagree leave it undecided', () => {
    const everysec = persisted('everysec', GET, { writes: 2950, medianNs: 1.2e6 });
    everysec.rounds[0].throughput = 1000;
    assert.equal(effect(everysec), 'undecided');
  });

  test('the rate of the background writers', () => {
    const round = { background: { operations: 100, seconds: 1 } };
    const beside = { ...GET, backgroundConnections: 4 };
    assert.equal(besideRate(persisted('everysec', beside, { writes: 3000, medianNs: 1.2e6, round })), 100);
    assert.equal(besideRate(before), null);
  });
});

test('paired by round: a bad round of both does not change the ratio', () => {
  const everysec = persisted('everysec', {}, { writes: 1500, medianNs: 1.2e6 });
  const shaken = structuredClone(off);
  for (const { rounds } of [everysec, shaken]) rounds[1].throughput /= 10;
  const ratios = ratiosTo(everysec, shaken);
  assert.equal(ratios && interval(ratios.throughput, times), '0.50×');
});

test('the case without persistence has the same place', () => {
  const { cases } = persistenceResult();
  for (const result of cases) {
    const { operation, storage, replicas } = result.params;
    const found = offOf({ ...persistenceResult(), cases }, result);
    assert.equal(found?.params.mode, 'off');
    assert.deepEqual(
      [found?.params.operation, found?.params.storage, found?.params.replicas],
      [operation, storage, replicas],
    );
  }
});

test('the share of the acknowledged bytes that a replica was sent', () => {
  const shares = persistenceResult().cases.map((result) => [
    result.params.mode,
    result.params.replicas,
    sentShare(result),
  ]);
  for (const [mode, replicas, share] of shares) {
    if (replicas === 0) assert.equal(share, null);
    else assert.equal(Number(/** @type {{median: number}} */ (share).median) < 0.9, mode === 'split', String(mode));
  }
});

test('the mean of a round that stalled is the end of the interval, and does not vanish in a pool', () => {
  const result = persisted('everysec', {}, { writes: 3000, medianNs: 1e6, counters: WITH_AOF });
  const [stalled, ...others] = result.rounds;
  stalled.latencyNs.mean = 900e6;
  const { median, low, high } = meanOf(result);
  assert.equal(high, 900e6);
  assert.ok(others.some(({ latencyNs }) => latencyNs.mean === median || latencyNs.mean === low));
});
