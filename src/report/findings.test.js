import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costFinding, costSentence } from './findings.js';
import { caseOf, resultOf, roundOf } from './fixture.js';

/** @typedef {import('./schema.js').RoundResult} RoundResult */

const WORDS = { what: 'WAIT 1', where: 'at batch 1' };
const BUSY = { load: { cpu: 0.98, eventLoopUtilization: 1 } };

/**
 * @param {number[]} percents of the baseline's throughput, one a round
 * @param {Partial<RoundResult>} [own]
 * @param {Partial<RoundResult>} [base]
 */
function sentence(percents, own = {}, base = {}) {
  const baseline = caseOf(
    'none',
    {},
    percents.map(() => roundOf({ writes: 1000, ...base })),
  );
  const result = caseOf(
    'wait1',
    {},
    percents.map((share) => roundOf({ writes: 10 * share, ...own })),
    baseline,
  );
  return costSentence(result, baseline, WORDS);
}

test('a cost has its interval', () => {
  assert.equal(sentence([54, 51, 58, 55, 53]), 'WAIT 1 costs 46 % of throughput at batch 1 (95 % interval 42–49 %)');
});

test('an interval that includes no change is no measurable cost, whatever its median', () => {
  assert.equal(
    sentence([90, 91, 100, 92, 103]),
    'WAIT 1 has no measurable cost in throughput at batch 1 (95 % interval −3.0 to 10 %)',
  );
});

test('a wide interval that includes no change is noise, not the lack of a cost', () => {
  assert.equal(
    sentence([50, 91, 100, 92, 120]),
    'WAIT 1: noise hides what it costs in throughput at batch 1, if anything (95 % interval −20 to 50 %)',
  );
});

test('a gain is a gain', () => {
  assert.equal(
    sentence([112, 108, 115, 113, 111]),
    'WAIT 1 gains 12 % of throughput at batch 1 (95 % interval 8.0–15 %)',
  );
});

test('few rounds are not called a 95 % interval', () => {
  assert.match(String(sentence([54, 51, 58])), /\(range of 3 rounds 42–49 %\)$/);
  assert.equal(sentence([54]), 'WAIT 1 costs 46 % of throughput at batch 1 (one round, so no interval)');
});

test('a figure that the client limits says so', () => {
  assert.match(String(sentence([54, 51, 58], BUSY, BUSY)), /; the client, not Redis, limited both figures$/);
  assert.match(String(sentence([54, 51, 58], BUSY)), /; the client, not Redis, limited this figure$/);
  assert.match(String(sentence([54, 51, 58], {}, BUSY)), /; the client, not Redis, limited the baseline's figure$/);
  assert.doesNotMatch(String(sentence([54, 51, 58])), /client/);
});

test('a case whose writes were not all acked says so', () => {
  const own = { outcomes: { acked: 500, underAcked: 500, rejected: 0, unknown: 0 } };
  assert.match(String(sentence([54, 51, 58], own)), /; 50 % of its writes were not acked$/);
});

test('a finding names its evidence, and is none without a baseline', () => {
  const [benchmark] = resultOf().benchmarks;
  const finding = costFinding(benchmark, 'wait1', WORDS);
  assert.match(String(finding?.text), /^WAIT 1 costs 46 % of throughput at batch 1 \(95 % interval /);
  assert.deepEqual(finding?.evidence, ['none', 'wait1']);
  assert.equal(costFinding(benchmark, 'none', WORDS), null);
  assert.equal(costFinding(benchmark, 'not there', WORDS), null);
  const alone = { ...benchmark, cases: benchmark.cases.filter(({ id }) => id === 'wait1') };
  assert.equal(costFinding(alone, 'wait1', WORDS), null);
});
