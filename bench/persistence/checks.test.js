import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { persistenceChecks } from './checks.js';
import { persisted, persistenceOf, persistenceResult, WITH_AOF } from './fixture.js';

/** @import { CaseResult } from '../../src/result/schema.js' */

const FIGURES = { writes: 100, medianNs: 1e6 };

/** @param {CaseResult} result @param {RegExp} name */
function check(result, name) {
  const found = persistenceChecks(persistenceOf([result])).find((each) => name.test(each.name));
  assert.ok(found, `${name} is checked`);
  return found;
}

test('passed checks say how much they checked', () => {
  const checks = persistenceChecks(persistenceResult());
  assert.ok(checks.length >= 4);
  for (const { name, ok, detail } of checks) {
    assert.ok(ok, `${name}: ${detail}`);
    assert.match(detail, /^[1-9]/);
  }
});

describe('files', () => {
  const FILES = /append-only file grew/;

  test('AOF wrote nothing, or was off', () => {
    for (const aofBytes of [0, null]) {
      const { ok, detail } = check(persisted('everysec', {}, { ...FIGURES, counters: { aofBytes } }), FILES);
      assert.equal(ok, false, `${aofBytes}`);
      assert.match(detail, /everysec.*, round 1, redis-1: /);
    }
  });

  test('AOF always wrote less than what was acknowledged', () => {
    const of = (/** @type {number} */ aofBytes) => persisted('always', {}, { ...FIGURES, counters: { aofBytes } });
    assert.equal(check(of(103 * 180_000), FILES).ok, true);
    assert.equal(check(of(50 * 180_000), FILES).ok, false);
  });

  test('AOF was on in a case without AOF', () => {
    assert.equal(check(persisted('off', {}, { ...FIGURES, counters: WITH_AOF }), FILES).ok, false);
    const split = { ...FIGURES, counters: WITH_AOF, replica: WITH_AOF };
    assert.equal(check(persisted('split', { replicas: 1 }, split), FILES).ok, false);
  });

  test('the replica of a split wrote nothing', () => {
    const { ok, detail } = check(persisted('split', { replicas: 1 }, { ...FIGURES, replica: {} }), FILES);
    assert.equal(ok, false);
    assert.match(detail, /redis-2/);
  });
});

test('a rewrite or snapshot hardly ran', () => {
  for (const mode of /** @type {const} */ (['everysec-rewrite', 'snapshot'])) {
    const counters = mode === 'snapshot' ? {} : WITH_AOF;
    const { ok } = check(
      persisted(mode, {}, { ...FIGURES, counters, round: { duringShare: 0.4 } }),
      /rewrite or snapshot/,
    );
    assert.equal(ok, false, mode);
  }
});

test('thresholds were never reached', () => {
  for (const [snapshots, ok] of /** @type {const} */ ([
    [0, false],
    [1, true],
  ])) {
    const round = { seconds: 2.1 };
    assert.equal(
      check(persisted('rdb', {}, { ...FIGURES, counters: { snapshots }, round }), /thresholds started/).ok,
      ok,
    );
    const split = persisted('split-rdb', { replicas: 1 }, { ...FIGURES, replica: { snapshots }, round });
    assert.equal(check(split, /thresholds started/).ok, ok, 'of a replica');
  }
  const without = { ...FIGURES, counters: { snapshots: 0 } };
  for (const [one, why] of /** @type {const} */ ([
    [persisted('rdb', {}, { ...without, round: { seconds: 1.1 } }), 'Redis counts whole seconds'],
    [persisted('rdb', { operation: 'get' }, { ...without, round: { seconds: 2.1 } }), 'reads reach no threshold'],
  ])) {
    const checked = persistenceChecks(persistenceOf([one])).map(({ name }) => name);
    assert.ok(!checked.some((name) => /thresholds started/.test(name)), why);
  }
});

test('a GET found nothing, or was not answered', () => {
  for (const reads of [
    { answered: 100, misses: 1, failed: 0 },
    { answered: 100, misses: 0, failed: 1 },
    { answered: 0, misses: 0, failed: 0 },
  ]) {
    const result = persisted('off', { operation: 'get' }, { ...FIGURES, round: { reads } });
    assert.equal(check(result, /every GET/).ok, false, JSON.stringify(reads));
  }
});

test('a replica had to be sent everything', () => {
  const result = persisted('off', { replicas: 1 }, { ...FIGURES, counters: { fullResyncs: 1 }, replica: {} });
  assert.equal(check(result, /full resync/).ok, false);
  result.rounds[0].nodes[0].counters = null;
  assert.match(check(result, /full resync/).detail, /round 1: its counters are not known; /);
});
