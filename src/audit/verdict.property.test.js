/** The ledger and the verdict against a plain model of them, on generated trials. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Outcome } from '../clients/types.js';
import { FACTS, ledgerOf, readingOf } from './fixture.js';
import { answeredAfterMs, createLedger, enterAnswer, enterSent, enterUnsent, isFalseAck, State } from './ledger.js';
import { auditOf } from './verdict.js';

/** @import { LedgerEntry } from './fixture.js' */

const CASES = { seed: 18, numRuns: 200 };
const NODES = ['redis-1', 'redis-2', 'redis-3'];
const RATE = 1000;

/**
 * @typedef {Object} Write one of a generated trial
 * @property {LedgerEntry['is']} is
 * @property {number} at when it was answered, milliseconds
 * @property {boolean} falseAck
 * @property {string[]} onNodes a letter for each node, as in `readingOf`
 * @property {string} former what the old primary holds
 *
 * @typedef {Object} DrawnTrial
 * @property {Write[]} writes at least one
 * @property {boolean} appends
 * @property {boolean} waits
 * @property {number | null} formerRead how many writes the old primary's reading covers; null: it was not read
 * @property {number} faultFromMs
 * @property {number} faultMs
 */

const letter = fc.constantFrom('.', 'r', 'r', 'r', 'w', 't');

/** @type {fc.Arbitrary<Write>} */
const write = fc.record({
  is: fc.constantFrom('acked', 'acked', 'acked', 'underAcked', 'rejected', 'unknown', 'unsent', 'none'),
  at: fc.integer({ min: 1, max: 3000 }),
  falseAck: fc.boolean(),
  onNodes: fc.array(letter, { minLength: 3, maxLength: 3 }),
  former: letter,
});

/** @type {fc.Arbitrary<DrawnTrial>} */
const trial = fc.record({
  writes: fc.array(write, { minLength: 1, maxLength: 60 }),
  appends: fc.boolean(),
  waits: fc.boolean(),
  formerRead: fc.option(fc.nat({ max: 60 })),
  faultFromMs: fc.integer({ min: 0, max: 80 }),
  faultMs: fc.integer({ min: 0, max: 80 }),
});

/** @param {DrawnTrial} trial */
function auditOfTrial({ writes, appends, waits, formerRead, faultFromMs, faultMs }) {
  return auditOf({
    ...FACTS,
    writer: appends ? 'ioredis' : 'sticky',
    appends,
    writes: writes.length,
    rate: RATE,
    waits,
    faultFromMs,
    faultToMs: faultFromMs + faultMs,
    ledger: ledgerOf(writes, writes.length + 3),
    readings: new Map(NODES.map((id, i) => [id, readingOf(writes.map(({ onNodes }) => onNodes[i]).join(''), i)])),
    primaryId: NODES[0],
    former:
      formerRead === null
        ? null
        : {
            id: 'redis-2',
            reading: readingOf(
              writes
                .slice(0, formerRead)
                .map(({ former }) => former)
                .join(''),
            ),
          },
  });
}

/** The same from the definitions in the schema, a list at a time. @param {DrawnTrial} trial */
function modelOf({ writes, appends, waits, formerRead, faultFromMs, faultMs }) {
  const all = writes.map((each, number) => {
    const former = formerRead !== null && number < formerRead ? each.former : '.';
    return { ...each, number, former, everywhere: [...each.onNodes, former] };
  });
  /** @typedef {(typeof all)[number]} Each */
  const count = (/** @type {(each: Each) => boolean} */ holds) => all.filter(holds).length;
  const right = (/** @type {string} */ found) => found === 'r' || (appends && found === 't');
  const is =
    (/** @type {LedgerEntry['is'][]} */ ...states) =>
    (/** @type {Each} */ each) =>
      states.includes(each.is);
  const lost = (/** @type {Each} */ { onNodes }) => !right(onNodes[0]);
  const anywhere = (/** @type {Each} */ { everywhere }) => everywhere.some((found) => found !== '.');
  const onlyFormer = (/** @type {Each} */ { onNodes, former }) => onNodes[0] === '.' && former !== '.';
  const isAcked = is('acked');
  const falseAck = (/** @type {Each} */ each) => isAcked(each) && each.falseAck;
  const times = all.filter((each) => isAcked(each) && each.at >= faultFromMs).map(({ at }) => at);
  times.sort((a, b) => a - b);
  const gaps = times.map((at, i) => at - (i === 0 ? faultFromMs : times[i - 1]));
  const lastDue = ((writes.length - 1) * 1000) / RATE;
  const during = all.filter(({ number }) => number >= faultFromMs && number <= faultFromMs + faultMs);
  return {
    due: all.length,
    unsent: count(is('unsent', 'none')),
    attempted: count((each) => !is('unsent', 'none')(each)),
    acked: count(isAcked),
    underAcked: count(is('underAcked')),
    rejected: count(is('rejected')),
    unknown: count(is('unknown')),
    ackedLost: count((each) => isAcked(each) && lost(each)),
    underAckedLost: count((each) => is('underAcked')(each) && lost(each)),
    rejectedBefore: count((each) => is('rejected')(each) && each.at < faultFromMs),
    rejectedPresent: count((each) => is('rejected')(each) && anywhere(each)),
    unknownPresent: count((each) => is('unknown')(each) && each.onNodes[0] !== '.'),
    unknownAbsent: count((each) => is('unknown')(each) && each.onNodes[0] === '.'),
    unsentPresent: count((each) => is('unsent', 'none')(each) && anywhere(each)),
    wrongValue: count(({ everywhere }) => everywhere.some((found) => found === 'w' || (found === 't' && !appends))),
    appliedTwice: appends ? count(({ everywhere }) => everywhere.includes('t')) : null,
    surplus: 2,
    falseAcks: waits ? count(falseAck) : null,
    falseAcksLost: waits ? count((each) => falseAck(each) && lost(each)) : null,
    present: Object.fromEntries(NODES.map((id, i) => [id, count(({ onNodes }) => onNodes[i] !== '.')])),
    formerPrimary:
      formerRead === null
        ? null
        : {
            id: 'redis-2',
            present: count(({ former }) => former !== '.'),
            extra: count(onlyFormer),
            extraAcked: count((each) => onlyFormer(each) && isAcked(each)),
            extraUntold: count((each) => onlyFormer(each) && is('rejected', 'unknown', 'underAcked')(each)),
          },
    unavailableMs: times.length === 0 || lastDue - times[times.length - 1] > 1000 ? null : Math.max(...gaps),
    acceptedShare: during.length === 0 ? null : during.filter(isAcked).length / during.length,
  };
}

test('the verdict is that of a plain model', () => {
  fc.assert(
    fc.property(trial, (each) => {
      const { case: _, round: __, writer: ___, errors: ____, firstError, moves, ...counts } = auditOfTrial(each);
      assert.deepEqual(counts, modelOf(each));
      assert.deepEqual([firstError, moves], [null, []]);
    }),
    CASES,
  );
});

test('acknowledged writes that are right on the primary are never called lost, and any other is', () => {
  fc.assert(
    fc.property(trial, (each) => {
      const well = each.writes.map((one) => ({ ...one, onNodes: one.is === 'acked' ? ['r', 'r', 'r'] : one.onNodes }));
      assert.equal(auditOfTrial({ ...each, writes: well }).ackedLost, 0);
      const gone = well.map((one) => ({ ...one, onNodes: ['.', ...one.onNodes.slice(1)] }));
      const { acked, ackedLost } = auditOfTrial({ ...each, writes: gone });
      assert.equal(ackedLost, acked);
    }),
    CASES,
  );
});

/** Each step of a writer, on one of few writes. */
const step = fc.record({
  number: fc.nat({ max: 4 }),
  what: fc.constantFrom('sent', 'unsent', 'acked', 'underAcked', 'rejected', 'unknown'),
  node: fc.integer({ min: 1, max: 3 }),
  afterMs: fc.integer({ min: 0, max: 100_000 }).map((hundredths) => hundredths / 100),
  falseAck: fc.boolean(),
});

test('the ledger holds what was entered last; a false acknowledgement stays one', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const ledger = createLedger(5);
      /** @type {{state: number, node: number, at: number, falseAck: boolean}[]} */
      const model = Array.from({ length: 5 }, () => ({ state: State.none, node: 0, at: 0, falseAck: false }));
      for (const { number, what, node, afterMs, falseAck } of steps) {
        const one = model[number];
        if (what === 'sent') {
          enterSent(ledger, number, node);
          Object.assign(one, { state: State.unknown, node });
        } else if (what === 'unsent') {
          enterUnsent(ledger, number);
          one.state = State.unsent;
        } else {
          enterAnswer(ledger, number, { outcome: Outcome[what], afterMs, waitCount: -1, falseAck });
          one.state = State[what];
          one.falseAck ||= falseAck;
          // An answer at the very beginning must not look like none.
          if (what !== 'unknown') one.at = Math.max(0.01, afterMs);
        }
      }
      const entries = model.map((_, number) => ({
        state: ledger.states[number],
        node: ledger.nodes[number],
        at: answeredAfterMs(ledger, number),
        falseAck: isFalseAck(ledger, number),
      }));
      assert.deepEqual(entries, model);
    }),
    CASES,
  );
});
