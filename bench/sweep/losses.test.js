import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FAULTS } from './faults.js';
import { blindFaults, emptiedIn, longestOf, lossCell, lossPhrase, saferFirst, testedOf, worstOf } from './losses.js';

/**
 * @import { DecisionRow, FaultLoss } from './decision.js'
 * @import { FaultId } from './faults.js'
 */

/** @typedef {Partial<FaultLoss> & {outageMs?: number}} Some */

/**
 * @param {Some} some
 * @returns {FaultLoss} of one trial at 1,000 writes a second; outageMs: in all of its trials
 */
function lossOf({ outageMs = 100, most = 0, ...some }) {
  return {
    trials: 1,
    each: [{ lost: most, acked: 16_000, share: most / 16_000 }],
    losing: Number(most > 0),
    lost: most,
    acked: 16_000,
    most,
    seconds: most / 1000,
    usual: most,
    usualSeconds: most / 1000,
    unavailable: { medianMs: outageMs, lowMs: outageMs, highMs: outageMs, toTheEnd: 0 },
    everything: false,
    ...some,
  };
}

/**
 * @param {Partial<Record<FaultId, Some>>} some faults that were tested
 * @returns {DecisionRow}
 */
function rowOf(some) {
  const lost = FAULTS.map(({ id }) => [id, some[id] ? lossOf(some[id]) : null]);
  return /** @type {DecisionRow} */ ({ lost: Object.fromEntries(lost) });
}

/** @param {Partial<Record<FaultId, Some>>} some */
function worstIn(some) {
  return worstOf(rowOf(some))?.fault.id;
}

/** @param {Partial<Record<FaultId, Some>>} some */
function longestIn(some) {
  return longestOf(testedOf(rowOf(some)))?.fault.id;
}

const ALL = { most: 900, everything: true };

describe('the losses of a mode', () => {
  test('the worst is the largest, of equal ones the first; a loss of everything stands apart', () => {
    assert.equal(worstIn({ kill: { most: 5 }, partition: { most: 9 }, stop: { most: 7 } }), 'partition');
    assert.equal(worstIn({ kill: { most: 9 }, partition: { most: 5 } }), 'kill');
    assert.equal(worstIn({ kill: { most: 9 }, partition: { most: 9 } }), 'kill');
    assert.equal(worstIn({ kill: { most: 5 }, restart: ALL }), 'kill');
    assert.equal(worstIn({ kill: {}, restart: ALL }), undefined);
    assert.deepEqual(
      emptiedIn(rowOf({ kill: { most: 5 }, restart: ALL })).map(({ id }) => id),
      ['restart'],
    );
  });

  test('safest first: a mode that loses everything comes after any other loss', () => {
    const [none, small, large] = [0, 5, 5000].map((most) => rowOf({ kill: { most } }));
    const emptied = rowOf({ kill: {}, restart: ALL });
    const emptiedToo = rowOf({ kill: { most: 5 }, restart: ALL });
    const expected = [none, small, large, emptied, emptiedToo];
    assert.deepEqual([...expected].sort(saferFirst), expected);
    assert.deepEqual(expected.toReversed().sort(saferFirst), expected);
    assert.equal(saferFirst(none, rowOf({})), 0);
  });

  test('the longest outage, by its median; of equal ones the first', () => {
    assert.equal(
      longestIn({ kill: { outageMs: 100 }, partition: { outageMs: 300 }, stop: { outageMs: 200 } }),
      'partition',
    );
    assert.equal(longestIn({ kill: { outageMs: 300 }, partition: { outageMs: 100 } }), 'kill');
    assert.equal(longestIn({ kill: { outageMs: 300 }, partition: { outageMs: 300 } }), 'kill');
    assert.equal(longestIn({}), undefined);
  });

  test('a cell: the worst trial, and how many trials lost something', () => {
    assert.equal(lossCell(null), '–');
    assert.equal(lossCell(lossOf({ most: 988 })), '988 (988 ms)');
    assert.equal(lossCell(lossOf({ most: 988, trials: 5, losing: 2 })), '988 (988 ms), 2/5');
    assert.equal(lossCell(lossOf({ ...ALL, trials: 5, losing: 2 })), 'all 900, 2/5');
  });

  test('a phrase: the writes, their time if the rate is known, the fault', () => {
    const phrase = (/** @type {Some} */ some) => lossPhrase(testedOf(rowOf({ restart: some }))[0]);
    assert.match(phrase({ most: 988 }), /^988 .*\(988 ms, fast restart\)$/);
    assert.match(phrase({ most: 988, seconds: null }), /^988 .*\(fast restart\)$/);
    assert.match(phrase(ALL), /^all 900 .*\(fast restart\)$/);
  });

  test('a fault says nothing where no mode lost a write in it, and only some faults can be so', () => {
    const blind = (/** @type {DecisionRow[]} */ ...rows) => blindFaults(rows).map(({ id }) => id);
    assert.deepEqual(blind(rowOf({ kill: {}, partition: {} }), rowOf({})), ['kill']);
    assert.deepEqual(blind(rowOf({ kill: {}, stop: {} }), rowOf({ kill: { most: 1 } })), ['stop']);
    assert.deepEqual(blind(rowOf({})), []);
  });
});
