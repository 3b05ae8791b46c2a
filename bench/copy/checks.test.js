import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CopyFigures } from './document.js';
import { copyChecks } from './figures.js';
import { copied, copyCaseOf, copyOf, wrote } from './fixture.js';

/** @import { CaseResult } from '../../src/result/schema.js' */

/** @param {CaseResult[]} cases @returns {string} details of the checks that fail */
const failed = (cases) =>
  copyChecks({ ...copyOf(), cases })
    .flatMap(({ ok, detail }) => (ok ? [] : detail))
    .join();

test('the fixture is what the schema says', () => {
  assert.ok(CopyFigures.parse(copied({ writers: wrote(5) })));
});

const { comparison } = copied();
const SHAKE = { copyMode: 'redis-shake-sync', mover: 'redis-shake-sync' };
const writing = (/** @type {string} */ error) =>
  copyCaseOf(
    { copyMode: 'sync-rdb-writes' },
    { writers: wrote(3), sourceRate: 4000 },
    { round: { errors: { [error]: 3 } } },
  );
const unfinished = copyCaseOf(
  { copyMode: 'sync-aof' },
  { behindSeconds: null },
  { round: { errors: { 'MOVER: the link was lost': 1 } } },
);

/** @type {[what: string, cases: CaseResult[], expected: RegExp | ''][]} */
const CASES = [
  ['plain SCAN under writes misses changes', copyOf().cases, ''],
  [
    'one difference',
    [copyCaseOf({ copyMode: 'sync-rdb' }, { comparison: { ...comparison, ttl: 1 } })],
    /^sync-rdb-1: 1 difference$/,
  ],
  ['differences left by another program', [copyCaseOf(SHAKE, { comparison: { ...comparison, ttl: 7, value: 2 } })], ''],
  ['an unfinished copy', [unfinished], /sync-aof-1: 1 round not; MOVER: the link was lost/],
  ['too few keys', [copyCaseOf({ copyMode: 'sync-rdb' }, { copiedKeys: 99_999 })], /99,999 of 100,000/],
  ['refused writes', [writing('OOM')], /OOM/],
  ['writes that did not leave', [writing('UNSENT before the copy')], ''],
];

for (const [what, cases, expected] of CASES)
  test(`${what}: ${expected === '' ? 'no check fails' : 'a check fails'}`, () => {
    if (expected === '') assert.equal(failed(cases), '');
    else assert.match(failed(cases), expected);
  });
