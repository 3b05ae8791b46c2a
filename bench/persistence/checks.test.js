import assert from 'node:assert/strict';
import { test } from 'node:test';
import { persistenceChecks } from './checks.js';
import { persisted, persistenceOf, WITH_AOF } from './fixture.js';

const FIGURES = { writes: 100, medianNs: 1e6 };
const FILES = /append-only file grew/;
const WORK = /rewrite or snapshot/;
const SAVED = /thresholds started/;
const READS = /every GET/;
const RESYNCS = /full resync/;

/** @typedef {Parameters<typeof persisted>} Persisted */

/** @param {Persisted[0]} mode @param {Persisted[1]} where @param {Partial<Persisted[2]>} measured */
const checked = (mode, where, measured) =>
  persistenceChecks(persistenceOf([persisted(mode, where, { ...FIGURES, ...measured })]));

const PAIR = { replicas: 1 };
const GET = { operation: /** @type {const} */ ('get') };
const LONG = { seconds: 2.1 };
const of = (/** @type {number | null} */ aofBytes) => ({ counters: { aofBytes } });
const reads = (/** @type {number} */ answered, misses = 0, failed = 0) => ({
  round: { reads: { answered, misses, failed } },
});
const saved = (/** @type {number} */ snapshots, round = LONG) => ({ counters: { snapshots }, round });

/** @type {[what: string, mode: string, where: Persisted[1], measured: Partial<Persisted[2]>, name: RegExp, expected: RegExp | null][]} null: it holds */
const CASES = [
  ['AOF wrote nothing', 'everysec', {}, of(0), FILES, /everysec.*, round 1, redis-1: /],
  ['AOF was off', 'everysec', {}, of(null), FILES, /AOF was off/],
  ['AOF always has every acknowledged write', 'always', {}, of(103 * 180_000), FILES, null],
  ['AOF always wrote less', 'always', {}, of(50 * 180_000), FILES, /at least/],
  ['AOF was on in a case without it', 'off', {}, { counters: WITH_AOF }, FILES, /AOF was on/],
  [
    'AOF was on at the primary of a split',
    'split',
    PAIR,
    { counters: WITH_AOF, replica: WITH_AOF },
    FILES,
    /redis-1: AOF was on/,
  ],
  ['the replica of a split wrote nothing', 'split', PAIR, { replica: {} }, FILES, /redis-2/],
  ['a rewrite hardly ran', 'everysec-rewrite', {}, { counters: WITH_AOF, round: { duringShare: 0.4 } }, WORK, /40%/],
  ['a snapshot hardly ran', 'snapshot', {}, { round: { duringShare: 0.4 } }, WORK, /40%/],
  ['a threshold was reached', 'rdb', {}, saved(1), SAVED, null],
  ['a threshold was not reached', 'rdb', {}, saved(0), SAVED, /no snapshot/],
  ['that of a replica was', 'split-rdb', PAIR, { replica: { snapshots: 1 }, round: LONG }, SAVED, null],
  ['that of a replica was not', 'split-rdb', PAIR, { replica: { snapshots: 0 }, round: LONG }, SAVED, /no snapshot/],
  ['every GET found a value', 'off', GET, reads(100), READS, null],
  ['a GET found nothing', 'off', GET, reads(100, 1), READS, /3 of them/],
  ['a GET failed', 'off', GET, reads(100, 0, 1), READS, /3 failed/],
  ['no GET was answered', 'off', GET, reads(0), READS, /^.*0 answered/],
  [
    'a replica had to be sent everything',
    'off',
    PAIR,
    { counters: { fullResyncs: 1 }, replica: {} },
    RESYNCS,
    /1 times/,
  ],
];

for (const [what, mode, where, measured, name, expected] of CASES) {
  test(what, () => {
    const found = checked(mode, where, measured).find((each) => name.test(each.name));
    assert.equal(found?.ok, expected === null, found?.detail);
    assert.match(found?.detail ?? '', expected ?? /^[1-9]/);
  });
}

test('a round too short for whole seconds, and reads, reach no threshold', () => {
  for (const checks of [checked('rdb', {}, saved(0, { seconds: 1.1 })), checked('rdb', GET, saved(0))])
    assert.ok(!checks.some(({ name }) => SAVED.test(name)));
});

test('a node without counters is named', () => {
  const result = persisted('off', PAIR, { ...FIGURES, replica: {} });
  result.rounds[0].nodes[0].counters = null;
  const found = persistenceChecks(persistenceOf([result])).find(({ name }) => RESYNCS.test(name));
  assert.match(found?.detail ?? '', /round 1: its counters are not known/);
});
