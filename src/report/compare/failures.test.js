import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, failureResultOf } from '../trials/fixture.js';
import { compareResults, isJudged, isWorse } from './compare.js';
import { verdictSentences } from './comparison-report.js';
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

test('a new loss is worse after one trial, and the verdict gives the number of trials', () => {
  const { lost, reason } = judged(resultWith([0]), resultWith([10]));
  assert.equal(lost, 'worse');
  assert.equal(reason, 'A lost none in 1 trial; that few trials do not prove that A is safe');
  assert.match(judged(resultWith([0, 0, 0]), resultWith([10])).reason, /^A lost none in 3 trials; that few/);
  assert.equal(judged(resultWith(FOUR), resultWith([10, 0, 0, 0])).reason, 'A lost none in 4 trials');
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

test('a side with three trials needs five of the other, one with two needs eight, one with one needs 39', () => {
  const verdict = (/** @type {number} */ few, /** @type {number} */ many) => {
    const [one, other] = [resultWith(repeat(few, 10)), resultWith(repeat(many, 20))];
    return [judged(one, other).lost, judged(other, one).lost];
  };
  for (const [few, many] of [
    [3, 5],
    [2, 8],
    [1, 39],
  ]) {
    assert.deepEqual(verdict(few, many), ['worse', 'better'], `${few} against ${many}`);
    assert.deepEqual(verdict(few, many - 1), ['unknown', 'unknown'], `${few} against ${many - 1}`);
  }
});

test('a run is judged by the share of its writes that it lost, not by their number', () => {
  const trials = (/** @type {number} */ acked, /** @type {number[]} */ lost) =>
    resultOfWriters({ sticky: lost.map((ackedLost) => ({ acked, ackedLost })) });
  const [slow, fast] = [trials(1000, [10, 11, 12, 13]), trials(4000, [20, 22, 24, 26])];
  assert.equal(judged(slow, fast).lost, 'better');
  assert.equal(judged(fast, slow).lost, 'worse');
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
  assert.equal(judged(resultWith([1, 2, 3, 4, 5, 6, 900]), base).lost, 'no difference', 'nor for the rest');
  assert.equal(judged(base, resultWith([1, 2, 3, 4, 5, 6, 7])).lost, 'better');
});

test('a time without an acknowledgement that lasts until the end is longer than any other', () => {
  const base = resultWith(FOUR, [100, 110, 120, 130]);
  assert.equal(judged(base, resultWith(FOUR, [null, null, null, 900])).unavailable, 'worse');
  assert.equal(judged(resultWith(FOUR, [null, null, null, null]), base).unavailable, 'better');
  assert.equal(judged(base, resultWith(FOUR, [131, 131, 131, 131])).unavailable, 'worse');
  assert.equal(judged(base, resultWith(FOUR, [105, 115, 125, 128])).unavailable, 'no difference');
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

test('two runs without an acknowledgement until the end in half of the trials or more do not differ', () => {
  const none = repeat(10, 0);
  const half = resultWith(none, [1, 2, 3, 4, 5, null, null, null, null, null]);
  const all = resultWith(
    none,
    none.map(() => null),
  );
  assert.equal(judged(half, all).unavailable, 'no difference');
  assert.equal(judged(all, half).unavailable, 'no difference');
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
  assert.deepEqual(
    verdictSentences(compare(3, 9)).map(({ text }) => text),
    ['No failure got worse.', 'Unknown: 2 of 2 figures about failures.'],
  );
});
