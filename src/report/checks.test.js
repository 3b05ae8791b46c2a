import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyWriteAcked } from './checks.js';
import { caseOf, roundOf } from './fixture.js';

/** @import { BenchmarkResult, RoundResult } from '../result/schema.js' */

/** @typedef {RoundResult['outcomes']} Outcomes */

/**
 * @param {Partial<Outcomes>[]} outcomes of the one round of each case
 * @returns {BenchmarkResult}
 */
function benchmarkOf(outcomes) {
  const cases = outcomes.map((some, index) => {
    const all = { acked: 0, underAcked: 0, rejected: 0, unknown: 0, ...some };
    return caseOf(`case-${index + 1}`, {}, [roundOf({ writes: 10, outcomes: all })]);
  });
  return { name: 'x', question: 'x?', status: 'ok', cases, findings: [], checks: [] };
}

test('what lacks is named with its case', () => {
  for (const [outcomes, wanted, words] of /** @type {[Partial<Outcomes>[], boolean, string][]} */ ([
    [[{ acked: 1200 }, { acked: 1 }], true, '1,201 writes'],
    [[{ acked: 1200 }, { acked: 1200, rejected: 1 }], false, 'case-2: 1,200 acknowledged, 1 rejected'],
    [[{ acked: 1200 }, { acked: 1200, unknown: 1 }], false, 'case-2: 1,200 acknowledged, 1 unknown'],
    [[{}], false, 'case-1: nothing acknowledged'],
  ])) {
    const { ok, detail } = everyWriteAcked(benchmarkOf(outcomes));
    assert.deepEqual([ok, detail], [wanted, words]);
  }
  const beside = caseOf('beside', {}, [roundOf({ writes: 10, errors: { NOREPLICAS: 3 } })]);
  const { ok, detail } = everyWriteAcked({ ...benchmarkOf([{ acked: 1 }]), cases: [beside] });
  assert.deepEqual([ok, detail], [false, 'beside: 10 acknowledged, errors NOREPLICAS']);
});

test('the check passes after one stall of the machine, and says so', () => {
  const { ok, detail } = everyWriteAcked(benchmarkOf([{ acked: 1200 }, { acked: 1200, underAcked: 1 }]));
  assert.ok(ok);
  assert.match(detail, /^2,400 writes; 1 more under-acknowledged: a stall /);
  const few = everyWriteAcked(benchmarkOf([{ acked: 99, underAcked: 1 }]));
  assert.equal(few.ok, false, 'more than 1% of the case');
  const several = everyWriteAcked(benchmarkOf([{ acked: 1200, underAcked: 2 }]));
  assert.deepEqual(several, { ...several, ok: false, detail: 'case-1: 1,200 acknowledged, 2 under-acknowledged' });
});

test('many cases lack something: the first ones are named', () => {
  const { ok, detail } = everyWriteAcked(benchmarkOf(Array.from({ length: 5 }, () => ({ rejected: 7 }))));
  assert.equal(ok, false);
  assert.match(detail, /^case-1: nothing acknowledged, 7 rejected; case-2: [^;]+; case-3: [^;]+; and 2 more$/);
});
