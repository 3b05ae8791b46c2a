import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { copyChecks } from './checks.js';
import { CopyFigures } from './document.js';
import { copied, copyCaseOf, copyOf, wrote } from './fixture.js';

/** @import { CaseResult } from '../../src/result/schema.js' */

/** @param {CaseResult[]} cases */
const benchmarkOf = (cases) => ({ ...copyOf(), cases });

test('the fixture is what the schema says', () => {
  assert.ok(CopyFigures.parse(copied({ writers: wrote(5) })));
});

describe('the checks of copying', () => {
  /** @param {CaseResult[]} cases */
  const failed = (cases) => copyChecks(benchmarkOf(cases)).filter(({ ok }) => !ok);

  test('pass although plain SCAN under writes misses changes', () => {
    assert.deepEqual(failed(copyOf().cases), []);
  });

  test('one difference fails', () => {
    const comparison = { ...copied().comparison, ttl: 1 };
    assert.deepEqual(
      failed([copyCaseOf({ copyMode: 'sync-rdb' }, { comparison })]).map(({ detail }) => detail),
      ['sync-rdb-1: 1 difference'],
    );
  });

  test('differences left by another program fail no check', () => {
    const comparison = { ...copied().comparison, ttl: 7 };
    const shake = (/** @type {number} */ value) =>
      copyCaseOf({ copyMode: 'redis-shake-sync', mover: 'redis-shake-sync' }, { comparison: { ...comparison, value } });
    assert.deepEqual(failed([shake(0)]), []);
    assert.deepEqual(failed([shake(2)]), []);
  });

  test('an unfinished copy fails, with the reason', () => {
    const round = { errors: { 'MOVER: the subscription was lost': 1 } };
    const [check] = failed([copyCaseOf({ copyMode: 'scan-ksn' }, { behindSeconds: null }, { round })]);
    assert.match(check.detail, /scan-ksn-1: 1 round not; MOVER: the subscription was lost/);
  });

  test('too few keys fail, and so do refused writes', () => {
    assert.match(failed([copyCaseOf({ copyMode: 'scan' }, { copiedKeys: 99_999 })])[0].detail, /99,999 of 100,000/);
    const round = { errors: { OOM: 3 } };
    const writing = { writers: wrote(3), sourceRate: 4000 };
    assert.match(failed([copyCaseOf({ copyMode: 'sync-rdb-writes' }, writing, { round })])[0].detail, /OOM/);
    const late = { errors: { 'UNSENT before the copy': 50 } };
    assert.deepEqual(failed([copyCaseOf({ copyMode: 'sync-rdb-writes' }, writing, { round: late })]), []);
  });
});
