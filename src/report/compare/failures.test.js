import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, failureResultOf } from '../trials/fixture.js';
import { compareResults, isJudged, isWorse } from './compare.js';
import { renderComparison } from './comparison-report.js';
import { compareFailures } from './failures.js';

/** @import { AuditResult } from '../../result/failure-schema.js' */

const FOUR = [0, 0, 0, 0];

/**
 * @param {(number | null)[]} lost acknowledged writes, one a trial, of 1,000; null: of none
 * @param {(number | null)[]} [unavailableMs] one a trial
 */
function resultWith(lost, unavailableMs = lost.map(() => 100)) {
  const audits = lost.map((ackedLost, i) =>
    auditOf('wait1', {
      round: i + 1,
      acked: ackedLost === null ? 0 : 1000,
      ackedLost: ackedLost ?? 0,
      unavailableMs: unavailableMs[i],
    }),
  );
  return failureResultOf([failureBenchmarkOf('primary-killed', [{ mode: 'wait1', audits }])]);
}

/**
 * @param {Record<string, Partial<AuditResult>[]>} writers writer → its trials
 * @param {string} [benchmark]
 */
function resultOfWriters(writers, benchmark = 'primary-killed') {
  const audits = Object.entries(writers).flatMap(([writer, trials]) =>
    trials.map((some, i) =>
      auditOf('wait1', { round: i + 1, writer: /** @type {AuditResult['writer']} */ (writer), ...some }),
    ),
  );
  return failureResultOf([failureBenchmarkOf(benchmark, [{ mode: 'wait1', audits }])]);
}

/** @param {number} times @param {number} value */
const repeat = (times, value) => Array.from({ length: times }, () => value);

/** @param {ReturnType<typeof resultWith>} a @param {ReturnType<typeof resultWith>} b */
function judged(a, b) {
  const [{ lost, unavailable }] = compareFailures(a, b, { threshold: 0.05 });
  return { lost: lost.verdict, unavailable: unavailable.verdict, reason: lost.reason ?? '' };
}

test('losses: a new one is worse, other differences need several trials', () => {
  for (const [a, b, verdict, reason = ''] of /** @type {[(number | null)[], (number | null)[], string, string?][]} */ ([
    [[0], [10], 'worse', 'A lost none in 1 trial; that few trials do not prove that A is safe'],
    [FOUR, [10, 0, 0, 0], 'worse', 'A lost none in 4 trials'],
    [[10], [900], 'unknown', '1 trial against 1: too few to rule out chance; measure at least 4 in each run'],
    [[1, 2, 3, 4], [6, 7, 8, 9], 'worse'],
    [[6, 7, 8, 9], FOUR, 'better'],
    [[1, 7, 3, 8], [2, 6, 9, 4], 'no difference'],
    [[0], [0], 'no difference'],
    // Trials that lost the same count for neither side.
    [repeat(10, 10), [...repeat(5, 10), ...repeat(5, 1)], 'better'],
    // A run that acknowledged nothing is not better for losing nothing.
    [[6, 7, 8, 9], [null, null, null, null], 'unknown', 'B acknowledged nothing, so it had nothing to lose'],
    [[null, null, null, null], [6, 7, 8, 9], 'unknown', 'A acknowledged nothing, so it had nothing to lose'],
    [
      [6, 7, 8],
      [0, 0, 0, null, null],
      'unknown',
      '3 trials against 3: too few to rule out chance; measure at least 4 in each run',
    ],
    // One trial far from the others is no verdict against the rest.
    [[10, 11, 12, 13, 14, 15, 16], [1, 2, 3, 4, 5, 6, 900], 'no difference'],
  ])) {
    const found = judged(resultWith(a), resultWith(b));
    assert.deepEqual([found.lost, found.reason], [verdict, reason], `${a} against ${b}`);
  }
});

test('a side with three trials needs five of the other, one with two needs eight, one with one needs 39', () => {
  for (const [few, many] of [
    [3, 5],
    [2, 8],
    [1, 39],
  ]) {
    const verdict = (/** @type {number} */ others) =>
      judged(resultWith(repeat(few, 10)), resultWith(repeat(others, 20))).lost;
    assert.deepEqual([verdict(many), verdict(many - 1)], ['worse', 'unknown'], `${few} against ${many}`);
  }
});

test('a run is judged by the share of its writes that it lost, not by their number', () => {
  const trials = (/** @type {number} */ acked, /** @type {number[]} */ lost) =>
    resultOfWriters({ sticky: lost.map((ackedLost) => ({ acked, ackedLost })) });
  assert.equal(judged(trials(1000, [10, 11, 12, 13]), trials(4000, [20, 22, 24, 26])).lost, 'better');
});

test('a time without an acknowledgement that lasts until the end is longer than any other', () => {
  const available = (/** @type {(number | null)[]} */ unavailableMs) =>
    resultWith(
      unavailableMs.map(() => 0),
      unavailableMs,
    );
  const base = [100, 110, 120, 130];
  const half = [1, 2, 3, 4, 5, null, null, null, null, null];
  for (const [a, b, verdict] of /** @type {[(number | null)[], (number | null)[], string][]} */ ([
    [base, [null, null, null, 900], 'worse'],
    [[null, null, null, null], base, 'better'],
    [base, [131, 131, 131, 131], 'worse'],
    [base, [105, 115, 125, 128], 'no difference'],
    [half, half.map(() => null), 'no difference'],
  ]))
    assert.equal(judged(available(a), available(b)).unavailable, verdict, `${a}; ${b}`);
});

test('a difference within the threshold does not count, for losses and outages, in both directions', () => {
  const less = resultWith([100, 101, 102, 103], [1000, 1001, 1002, 1003]);
  const more = resultWith([104, 105, 106, 107], [1040, 1041, 1042, 1043]);
  const verdicts = (/** @type {typeof less} */ a, /** @type {typeof less} */ b, /** @type {number} */ threshold) => {
    const [{ lost, unavailable }] = compareFailures(a, b, { threshold });
    return [lost.verdict, unavailable.verdict];
  };
  for (const [a, b, verdict] of /** @type {const} */ ([
    [less, more, 'worse'],
    [more, less, 'better'],
  ])) {
    assert.deepEqual(verdicts(a, b, 0.05), ['no difference', 'no difference']);
    assert.deepEqual(verdicts(a, b, 0.03), [verdict, verdict]);
  }
});

test('each writer is compared with itself in the other run', () => {
  const [none, some] = [{ ackedLost: 0 }, { ackedLost: 50 }];
  const a = resultOfWriters({ sticky: [none], 'failover-aware': [some] });
  const b = resultOfWriters({ 'failover-aware': [some], sticky: [some] });
  assert.deepEqual(
    compareFailures(a, b, { threshold: 0.05 }).map(({ benchmark, id, writer, lost }) => [
      benchmark,
      id,
      writer,
      lost.verdict,
    ]),
    [
      ['primary-killed', 'wait1', 'sticky', 'worse'],
      ['primary-killed', 'wait1', 'failover-aware', 'unknown'],
    ],
  );
});

test('writers and benchmarks that only one run has are not compared', () => {
  const compared = (/** @type {ReturnType<typeof resultWith>} */ a, /** @type {ReturnType<typeof resultWith>} */ b) =>
    compareFailures(a, b, { threshold: 0.05 }).map(({ writer }) => writer);
  const [both, one] = [
    resultOfWriters({ sticky: [{}], 'failover-aware': [{}] }),
    resultOfWriters({ 'failover-aware': [{}] }),
  ];
  assert.deepEqual([compared(both, one), compared(one, both)], [['failover-aware'], ['failover-aware']]);
  assert.deepEqual(compared(one, resultOfWriters({ 'failover-aware': [{}] }, 'primary-paused')), []);
});

test('failures alone can make a comparison worse and judged', () => {
  const compare = (/** @type {number[]} */ ...lost) =>
    compareResults(resultWith([lost[0]]), resultWith([lost[1]]), { metric: 'throughput', threshold: 0.05 });
  assert.deepEqual([isWorse(compare(0, 3)), isJudged(compare(0, 3))], [true, true]);
  assert.deepEqual([isWorse(compare(0, 0)), isJudged(compare(0, 0))], [false, true]);
  assert.deepEqual([isWorse(compare(3, 9)), isJudged(compare(3, 9))], [false, false]);
  // "Not known to cost more" needs the number of unknown figures beside it.
  const side = { name: 'run', result: resultWith([3]) };
  assert.match(
    renderComparison(side, side, compare(3, 9)),
    /No failure got worse\.\nUnknown: 2 of 2 figures about failures\.$/,
  );
});
