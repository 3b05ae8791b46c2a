import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FACTS, ledgerOf, readingOf } from './fixture.js';
import { acceptedShare, auditOf, unavailableMs } from './verdict.js';

/**
 * @import { LedgerEntry } from './fixture.js'
 * @import { NodeReading } from './value.js'
 * @import { WriterFacts } from './verdict.js'
 */

/** @type {(at: number, more?: Partial<LedgerEntry>) => LedgerEntry} */
const acked = (at, more) => ({ is: 'acked', at, ...more });

/**
 * @param {readonly LedgerEntry[]} entries
 * @param {Record<string, NodeReading>} readings the first is the primary's
 * @param {Partial<WriterFacts> & {former?: {id: string, reading: NodeReading}}} [more]
 */
function audit(entries, readings, { former, ...more } = {}) {
  return auditOf({
    ...FACTS,
    writes: entries.length,
    ...more,
    ledger: ledgerOf(entries),
    readings: new Map(Object.entries(readings)),
    primaryId: Object.keys(readings)[0],
    former,
  });
}

describe('counts', () => {
  /** @type {LedgerEntry[]} one of each, and what the primary holds of it below */
  const each = [
    acked(1),
    acked(2),
    acked(3),
    { is: 'underAcked', at: 4 },
    { is: 'underAcked', at: 5 },
    { is: 'rejected', at: 6 },
    { is: 'unknown' },
    { is: 'unknown' },
    { is: 'unsent' },
    { is: 'none' },
  ];

  test('a write that must not exist is looked for on every node, and counted once', () => {
    const { rejectedPresent, unsentPresent, wrongValue, surplus, ackedLost, present } = audit(each, {
      'redis-1': readingOf('rrrrr.....', 1),
      'redis-2': readingOf('rrrwrr..r.', 3),
      'redis-3': readingOf('rrrwrr..rr', 2),
    });
    assert.deepEqual([rejectedPresent, unsentPresent, wrongValue, surplus, ackedLost], [1, 2, 1, 3, 0]);
    assert.deepEqual(present, { 'redis-1': 5, 'redis-2': 7, 'redis-3': 8 });
  });

  test('a former primary: the writes that only it holds, even when it was read early', () => {
    const former = { id: 'redis-1', reading: readingOf('rrrrr.r') };
    const result = audit(each, { 'redis-2': readingOf('r..r......') }, { former });
    assert.deepEqual(result.formerPrimary, { id: 'redis-1', present: 6, extra: 4, extraAcked: 2, extraUntold: 2 });
    assert.equal(result.ackedLost, 2);
    const wrong = audit(
      each,
      { 'redis-2': readingOf('r..r......') },
      {
        former: { id: 'redis-1', reading: readingOf('rw...r') },
      },
    );
    assert.deepEqual([wrong.wrongValue, wrong.rejectedPresent], [1, 1]);
  });

  test('a value applied twice: a retry where the library retries, else a wrong value', () => {
    const entries = [acked(1), acked(2), acked(3)];
    const readings = { 'redis-1': readingOf('rtr'), 'redis-2': readingOf('rtt') };
    const library = audit(entries, readings, { writer: 'ioredis', appends: true });
    assert.deepEqual([library.appliedTwice, library.wrongValue, library.ackedLost], [2, 0, 0]);
    const native = audit(entries, readings);
    assert.deepEqual([native.appliedTwice, native.wrongValue, native.ackedLost], [null, 2, 1]);
  });

  test('a missing reading, or one of another length, is an error', () => {
    assert.throws(() => audit(each, { 'redis-1': readingOf('r') }), /1 keys of redis-1 were read, 10 were due/);
    assert.throws(
      () => auditOf({ ...FACTS, ledger: ledgerOf([]), readings: new Map(), primaryId: 'redis-1' }),
      /the primary, redis-1, was not read/,
    );
    assert.throws(
      () => audit(each, { 'redis-1': readingOf('r'.repeat(11)) }, { writes: 11 }),
      /10 writes cannot hold 11/,
    );
  });
});

describe('unavailable', () => {
  /**
   * @param {number[]} ackedAt one a write, a write each 10 ms; -1: never
   * @param {number} faultFromMs
   */
  const away = (ackedAt, faultFromMs) =>
    unavailableMs(ledgerOf(ackedAt.map((at) => (at < 0 ? { is: 'unknown' } : acked(at)))), {
      writes: ackedAt.length,
      rate: 100,
      faultFromMs,
    });

  test('the longest time between two acknowledgements', () => {
    assert.equal(away([5, 15, 25, 80, 85, 90], 10), 55);
  });
  test('the time before the fault does not count', () => {
    assert.equal(away([1, 60, 65, 70, 75], 50), 10);
    assert.equal(away([1, 60, 65, 70, 95], 50), 25);
    assert.equal(away([1, 40, 45, 50], 50), 0, 'an acknowledgement at the very moment');
  });
  test('the order of the answers counts, not that of the writes', () => {
    assert.equal(away([50, 10, 40, 20, 30], 0), 10);
  });
  test('other answers do not end it', () => {
    /** @type {LedgerEntry[]} */
    const entries = [acked(10), { is: 'underAcked', at: 50 }, { is: 'rejected', at: 60 }, acked(100)];
    assert.equal(unavailableMs(ledgerOf(entries), { writes: 4, rate: 100, faultFromMs: 10 }), 90);
  });
  test('until the end: nothing was acknowledged any more', () => {
    assert.equal(away([5, 15, -1, -1], 20), null);
    assert.equal(away([], 0), null);
    // Writes are due until 1990 ms.
    const writes = Array(200).fill(-1);
    assert.equal(away(Object.assign([...writes], { 10: 100, 11: 989 }), 50), null);
    assert.equal(away(Object.assign([...writes], { 10: 100, 11: 990 }), 50), 890, 'a second is no outage yet');
  });
  test('an answer after the last write was due ends it as well', () => {
    assert.equal(away(Object.assign(Array(200).fill(-1), { 10: 100, 11: 5000 }), 100), 4900);
  });
});

test('accepted: writes that were due during the fault, both ends included, whenever the answer came', () => {
  /** @type {LedgerEntry[]} due at 0, 10, 20, 30, 40 */
  const entries = [acked(1), acked(900), { is: 'rejected', at: 21 }, { is: 'unsent' }, acked(41)];
  const share = (/** @type {number} */ faultFromMs, /** @type {number} */ faultToMs) =>
    acceptedShare(ledgerOf(entries), { writes: 5, rate: 100, faultFromMs, faultToMs });
  assert.equal(share(10, 30), 1 / 3);
  assert.equal(share(10.1, 29.9), 0);
  assert.equal(share(0, Number.POSITIVE_INFINITY), 3 / 5);
  assert.equal(share(41, 100), null);
});
