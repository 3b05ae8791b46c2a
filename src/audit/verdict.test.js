/** What the property tests of the verdict do not draw: readings that do not fit, and trials of more than a second. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FACTS, ledgerOf, readingOf } from './fixture.js';
import { auditOf, unavailableMs } from './verdict.js';

/**
 * @import { LedgerEntry } from './fixture.js'
 * @import { NodeReading } from './value.js'
 */

/** @type {(at: number) => LedgerEntry} */
const acked = (at) => ({ is: 'acked', at });

/** @param {Record<string, NodeReading>} readings of a ledger of two writes @param {number} [writes] that were due */
const audit = (readings, writes = 2) =>
  auditOf({
    ...{ ...FACTS, writes },
    ledger: ledgerOf([acked(1), acked(2)]),
    readings: new Map(Object.entries(readings)),
    primaryId: 'redis-1',
  });

test('a missing reading, or one of another length, is an error', () => {
  assert.throws(() => audit({ 'redis-1': readingOf('r') }), /1 keys of redis-1 were read, 2 were due/);
  assert.throws(() => audit({ 'redis-2': readingOf('rr') }), /the primary, redis-1, was not read/);
  assert.throws(() => audit({ 'redis-1': readingOf('rrr') }, 3), /2 writes cannot hold 3/);
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

  test('until the end: nothing was acknowledged any more', () => {
    assert.equal(away([5, 15, -1, -1], 20), null);
    assert.equal(away([], 0), null);
    // Writes are due until 1990 ms.
    const writes = Array(200).fill(-1);
    assert.equal(away(Object.assign([...writes], { 10: 100, 11: 989 }), 50), null);
    assert.equal(away(Object.assign([...writes], { 10: 100, 11: 990 }), 50), 890, 'a second is no outage yet');
  });
  test('an acknowledgement at the moment of the fault, or after the last write was due, ends it as well', () => {
    assert.equal(away([1, 40, 45, 50], 50), 0);
    assert.equal(away(Object.assign(Array(200).fill(-1), { 10: 100, 11: 5000 }), 100), 4900);
  });
});
