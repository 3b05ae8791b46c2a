import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, failureResultOf } from '../trials/fixture.js';
import { compareResults, isJudged, isWorse } from './compare.js';
import { verdictSentences } from './comparison-report.js';
import { compareFailures, rankSumP } from './failures.js';

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
  return failureResultOf([failureBenchmarkOf('primary-killed', [{ level: 'wait1', audits }])]);
}

/** @param {ReturnType<typeof resultWith>} a @param {ReturnType<typeof resultWith>} b */
function judged(a, b) {
  const [{ lost, unavailable }] = compareFailures(a, b, { threshold: 0.05 });
  return { lost: lost.verdict, unavailable: unavailable.verdict, reason: lost.reason ?? '' };
}

test('a new loss is worse after one trial, and the verdict gives the number of trials', () => {
  const { lost, reason } = judged(resultWith([0]), resultWith([10]));
  assert.equal(lost, 'worse');
  assert.match(reason, /A lost none in 1 trial; that few/);
  assert.doesNotMatch(judged(resultWith([0, 0, 0, 0]), resultWith([10, 0, 0, 0])).reason, /so few/);
});

test('more or fewer losses need several trials for a verdict', () => {
  assert.match(judged(resultWith([10]), resultWith([900])).reason, /^1 trial against 1: too few/);
  assert.equal(judged(resultWith([10]), resultWith([0])).lost, 'unknown');
  assert.equal(judged(resultWith([1, 2, 3]), resultWith([7, 8, 9])).lost, 'unknown');
  assert.equal(judged(resultWith([1, 2, 3, 4]), resultWith([6, 7, 8, 9])).lost, 'worse');
  assert.equal(judged(resultWith([6, 7, 8, 9]), resultWith([0, 0, 0, 0])).lost, 'better');
  assert.equal(judged(resultWith([1, 7, 3, 8]), resultWith([2, 6, 9, 4])).lost, 'no difference');
  assert.equal(judged(resultWith([0]), resultWith([0])).lost, 'no difference');
  assert.equal(judged(resultWith([7]), resultWith([7])).lost, 'unknown', 'as many lost once is chance, too');
});

test('a run that acknowledged nothing is not better for losing nothing', () => {
  const nothing = [null, null, null, null];
  assert.match(judged(resultWith([6, 7, 8, 9]), resultWith(nothing)).reason, /^B acknowledged nothing/);
  assert.equal(judged(resultWith([6, 7, 8, 9]), resultWith(nothing)).lost, 'unknown');
  assert.equal(judged(resultWith(nothing), resultWith([6, 7, 8, 9])).lost, 'unknown');
  assert.match(judged(resultWith(nothing), resultWith([6, 7, 8, 9])).reason, /^A acknowledged nothing/);
  assert.equal(judged(resultWith([0]), resultWith([null])).lost, 'unknown');
  assert.equal(judged(resultWith([6, 7, 8]), resultWith([0, 0, 0, 0, null, null])).lost, 'unknown');
});

test('one trial far from the others is no verdict against the rest', () => {
  const base = resultWith([10, 11, 12, 13, 14, 15, 16]);
  assert.equal(judged(base, resultWith([1, 2, 3, 4, 5, 6, 900])).lost, 'no difference');
  assert.equal(judged(base, resultWith([1, 2, 3, 4, 5, 6, 7])).lost, 'better');
});

test('a time without an acknowledgement that lasts until the end is longer than any other', () => {
  const four = [0, 0, 0, 0];
  const base = resultWith(four, [100, 110, 120, 130]);
  assert.equal(judged(base, resultWith(four, [null, null, null, 900])).unavailable, 'worse');
  assert.equal(judged(resultWith(four, [null, null, null, null]), base).unavailable, 'better');
  assert.equal(judged(base, resultWith(four, [131, 131, 131, 131])).unavailable, 'worse');
  assert.equal(judged(base, resultWith(four, [105, 115, 125, 128])).unavailable, 'no difference');
});

test('a difference within the threshold does not count, for losses and outages, in both directions', () => {
  const [less, more] = [
    resultWith([100, 101, 102, 103], [1000, 1001, 1002, 1003]),
    resultWith([104, 105, 106, 107], [1040, 1041, 1042, 1043]),
  ];
  const verdicts = (/** @type {number} */ threshold) =>
    [compareFailures(less, more, { threshold }), compareFailures(more, less, { threshold })].map(
      ([{ lost, unavailable }]) => [lost.verdict, unavailable.verdict],
    );
  const none = ['no difference', 'no difference'];
  assert.deepEqual(verdicts(0.05), [none, none]);
  assert.deepEqual(verdicts(0.03), [
    ['worse', 'worse'],
    ['better', 'better'],
  ]);
});

test('the rank-sum test is that of the tables', () => {
  // Of the 20 ways to deal 6 ranks to 3 and 3, two are as far apart as these; of the 70 of 8 ranks, two.
  assert.equal(rankSumP([1, 2, 3], [4, 5, 6]), 2 / 20);
  assert.equal(rankSumP([1, 2, 3, 4], [5, 6, 7, 8]), 2 / 70);
  assert.equal(rankSumP([1, 2, 3, 5], [4, 6, 7, 8]), 4 / 70);
  assert.equal(rankSumP([1, 1], [1, 1]), 1);
});

test('failures alone can make a comparison worse and judged', () => {
  const compare = (/** @type {number[]} */ ...lost) =>
    compareResults(resultWith([lost[0]]), resultWith([lost[1]]), { metric: 'throughput', threshold: 0.05 });
  assert.deepEqual([isWorse(compare(0, 3)), isJudged(compare(0, 3))], [true, true]);
  assert.deepEqual([isWorse(compare(0, 0)), isJudged(compare(0, 0))], [false, true]);
  assert.deepEqual([isWorse(compare(3, 9)), isJudged(compare(3, 9))], [false, false]);
  // "Not known to cost more" needs the number of unknown figures beside it.
  assert.deepEqual(
    verdictSentences(compare(3, 9)).map(({ text }) => text),
    ['No failure got worse.', 'Unknown: 2 of 2 figures about failures.'],
  );
});

test('another rate of writes makes failures hard to compare', () => {
  const [a, b] = [resultWith([0]), resultWith([0])];
  a.profile.writesPerSecond = 1000;
  b.profile.writesPerSecond = 2000;
  const { differences } = compareResults(a, b, { metric: 'throughput', threshold: 0.05 });
  assert.deepEqual(
    differences.map(({ what }) => what),
    ['writes a second of a failure benchmark'],
  );
});
