import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lostCell, unavailableCell } from './failure-columns.js';
import { auditOf } from './failure-fixture.js';
import { caseTitle, eachRound, levelTitle, lossText, milliseconds, partOf } from './failure-words.js';
import { caseOf, roundOf } from './fixture.js';

/** @param {Partial<import('./schema.js').CaseParams>} params */
const paramsOf = (params) => caseOf('x', params, [roundOf({ writes: 1 })]).params;

/** @type {[Partial<import('./schema.js').CaseParams>, string][]} */
const LEVELS = [
  [{}, 'async'],
  [{ settings: { 'min-replicas-to-write': '0' } }, 'async'],
  [{ settings: { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '10' } }, 'min-replicas 1'],
  [{ settings: { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '1' } }, 'min-replicas 1, lag 1'],
  [{ wait: 2, settings: {} }, 'WAIT 2'],
  [{ wait: 1, settings: { 'min-replicas-to-write': '1' } }, 'WAIT 1 + min-replicas 1'],
  [{ settings: { appendonly: 'yes', appendfsync: 'always' } }, 'AOF always'],
  [{ settings: { appendonly: 'no', appendfsync: 'everysec' } }, 'async'],
  [{ wait: 1, waitLocal: 1, settings: { appendonly: 'yes', appendfsync: 'everysec' } }, 'WAITAOF 1 1 + AOF everysec'],
  [{ wait: 1, level: 'wait1-min1' }, 'wait1-min1'],
];

for (const [params, title] of LEVELS) {
  test(`${JSON.stringify(params)} is called ${title}`, () => assert.equal(levelTitle(paramsOf(params)), title));
}

test('a variant stands with its level', () => {
  assert.equal(caseTitle(paramsOf({ variant: 'two Sentinels' })), 'async, two Sentinels');
});

test('times: none is 0, without end is no number, not measured is neither', () => {
  assert.deepEqual([0, 0.05, 980, 12_100, Number.POSITIVE_INFINITY, null].map(milliseconds), [
    '0',
    '50.0 µs',
    '980 ms',
    '12.1 s',
    'to the end',
    '–',
  ]);
});

test('parts: a zero names its whole, and nothing has no part', () => {
  assert.deepEqual(
    [partOf(0, 38_500), partOf(20, 32_697), partOf(5, 5), partOf(0, 0)],
    ['0 of 38,500', '20 (0.061 %)', '5 (100 %)', '–'],
  );
});

test('rounds are told when there are several', () => {
  assert.deepEqual(
    [eachRound([3]), eachRound([3, 3]), eachRound([3, 1200, 0])],
    ['', '3 in each of 2 rounds', '0–1,200 in each of 3 rounds'],
  );
  const rounds = [auditOf('x', { acked: 500 }), auditOf('x', { acked: 500, ackedLost: 5 })];
  assert.equal(lostCell(rounds, true), '5 (0.50 %; 0–5 a round)');
  assert.equal(lostCell(rounds, false), '5 (0.50 %)');
  assert.equal(lostCell([rounds[0], rounds[0]], true), '0 of 1,000', 'none in all is none in each');
  assert.equal(lossText(rounds), '5 of 1,000 (0.50 %; 0–5 in each of 2 rounds)');
});

test('unavailable in an even number of rounds, some without end', () => {
  const audits = [1000, 2000, null, null].map((unavailableMs) => auditOf('x', { unavailableMs }));
  assert.equal(unavailableCell(audits.slice(0, 2), true), '1.50 s');
  assert.equal(unavailableCell(audits, true), 'to the end (2 of 4 rounds)');
  assert.equal(unavailableCell(audits, false), 'to the end');
  assert.equal(unavailableCell([], true), '–');
});
