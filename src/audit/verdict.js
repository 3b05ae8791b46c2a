/**
 * The verdict on one writer of one trial: what it was told of each write, held against what the nodes hold. Pure.
 */
import { dueMs, isFalseAck, State, TICKS_A_MS } from './ledger.js';
import { Found } from './value.js';

/**
 * @import { AuditResult } from '../result/failure-schema.js'
 * @import { Ledger } from './ledger.js'
 * @import { NodeReading } from './value.js'
 */

/** The end of a load without an acknowledgement is only taken for an outage when it is longer than this. */
const TAIL_MS = 1000;
/** These write with APPEND: a write that was applied twice shows in its value. */
const APPENDING = new Set(['redis', 'ioredis']);

/**
 * @typedef {Object} WriterFacts what is known of a writer beside its ledger
 * @property {AuditResult['case']} case
 * @property {number} round counted from 1
 * @property {AuditResult['writer']} writer
 * @property {number} writes numbers 0 … writes - 1 were due
 * @property {number} rate write i was due i/rate seconds after the writers began; > 0
 * @property {boolean} waits a WAIT was asked for
 * @property {number} faultFromMs since the writers began
 * @property {number} faultToMs the same; Infinity: until the end
 * @property {AuditResult['errors']} errors
 * @property {AuditResult['firstError']} firstError
 * @property {AuditResult['moves']} moves
 *
 * @typedef {Object} Readings what the nodes hold
 * @property {ReadonlyMap<string, NodeReading>} readings node → what it holds after healing, all of length `writes`
 * @property {string} primaryId one of them: the primary after healing
 * @property {{id: string, reading: NodeReading} | null} [former] a primary of before, read before it was demoted. It may have
 *   been read while the writers wrote: what lies beyond the end of its reading counts as absent there
 */

/**
 * On the primary, a write is lost when its value is absent or wrong, and present when anything stands under its key. What
 * must not be anywhere (rejected, unsent, wrong, twice) is looked for on all nodes and on the former primary, and counted once
 * a write. `surplus` is the largest of the nodes' counts: copies of the same key are one. A due write of state `none` was not
 * sent.
 *
 * @param {WriterFacts & Readings & {ledger: Ledger}} trial
 * @returns {AuditResult}
 * @throws {RangeError} a reading is missing or not as long as `writes`
 */
export function auditOf({ ledger, readings, primaryId, former = null, ...facts }) {
  const { writes, waits, writer } = facts;
  checkReadings(readings, primaryId, { writes, capacity: ledger.capacity });
  const { states } = ledger;
  const primary = /** @type {NodeReading} */ (readings.get(primaryId)).found;
  const all = [...readings.values(), ...(former ? [former.reading] : [])].map(({ found }) => found);
  const appends = APPENDING.has(writer);

  const byState = new Uint32Array(6);
  /** Of each state, those whose value is not right on the primary, those whose key is there, and those that are anywhere. */
  const lost = new Uint32Array(6);
  const present = new Uint32Array(6);
  const anywhere = new Uint32Array(6);
  /** Of each state, those that are on the former primary and not on the primary. */
  const extra = new Uint32Array(6);
  let [wrongValue, appliedTwice, falseAcks, falseAcksLost] = [0, 0, 0, 0];

  for (let number = 0; number < writes; number++) {
    const state = states[number];
    const there = primary[number];
    let [isAnywhere, isWrong, isTwice] = [false, false, false];
    for (const found of all) {
      const what = found[number];
      // Beyond the end of the former primary's reading: undefined.
      if (!what) continue;
      isAnywhere = true;
      if (what === Found.twice && appends) isTwice = true;
      else if (what !== Found.right) isWrong = true;
    }
    const isLost = there !== Found.right && !(appends && there === Found.twice);
    byState[state]++;
    if (isLost) lost[state]++;
    if (there !== Found.absent) present[state]++;
    if (isAnywhere) anywhere[state]++;
    if (isWrong) wrongValue++;
    if (isTwice) appliedTwice++;
    if (state === State.acked && isFalseAck(ledger, number)) {
      falseAcks++;
      if (isLost) falseAcksLost++;
    }
    if (former && there === Found.absent && former.reading.found[number]) extra[state]++;
  }

  const unsent = byState[State.unsent] + byState[State.none];
  return {
    case: facts.case,
    round: facts.round,
    writer,
    due: writes,
    unsent,
    attempted: writes - unsent,
    acked: byState[State.acked],
    underAcked: byState[State.underAcked],
    rejected: byState[State.rejected],
    unknown: byState[State.unknown],
    ackedLost: lost[State.acked],
    underAckedLost: lost[State.underAcked],
    rejectedPresent: anywhere[State.rejected],
    unknownPresent: present[State.unknown],
    unknownAbsent: byState[State.unknown] - present[State.unknown],
    unsentPresent: anywhere[State.unsent] + anywhere[State.none],
    wrongValue,
    appliedTwice: appends ? appliedTwice : null,
    surplus: Math.max(...[...readings.values()].map(({ surplus }) => surplus)),
    falseAcks: waits ? falseAcks : null,
    falseAcksLost: waits ? falseAcksLost : null,
    present: Object.fromEntries([...readings].map(([id, { found }]) => [id, countPresent(found, writes)])),
    formerPrimary: former && {
      id: former.id,
      present: countPresent(former.reading.found, writes),
      extra: extra.reduce((sum, value) => sum + value, 0),
      extraAcked: extra[State.acked],
      extraUntold: extra[State.rejected] + extra[State.unknown] + extra[State.underAcked],
    },
    unavailableMs: unavailableMs(ledger, facts),
    acceptedShare: acceptedShare(ledger, facts),
    firstError: facts.firstError,
    errors: facts.errors,
    moves: facts.moves,
  };
}

/**
 * The longest time without an acknowledgement, from the beginning of the fault on; by when the answers came. The time from the
 * beginning of the fault to the first acknowledgement after it is one of them.
 *
 * @param {Ledger} ledger
 * @param {Pick<WriterFacts, 'writes' | 'rate' | 'faultFromMs'>} facts
 * @returns {number | null} null: it lasted until the end, since nothing was acknowledged after the fault began, or nothing in
 *   more than the last second before the last write was due
 */
export function unavailableMs({ states, ticks }, { writes, rate, faultFromMs }) {
  const from = Math.round(faultFromMs * TICKS_A_MS);
  const isAck = (/** @type {number} */ number) => states[number] === State.acked && ticks[number] >= from;
  let count = 0;
  for (let number = 0; number < writes; number++) if (isAck(number)) count++;
  if (count === 0) return null;
  const times = new Uint32Array(count);
  for (let number = 0, next = 0; number < writes; number++) if (isAck(number)) times[next++] = ticks[number];
  // Several connections are answered out of order.
  times.sort();
  const lastDueMs = dueMs(writes - 1, rate);
  if (lastDueMs - times[count - 1] / TICKS_A_MS > TAIL_MS) return null;
  let longest = times[0] - Math.max(0, from);
  for (let i = 1; i < count; i++) longest = Math.max(longest, times[i] - times[i - 1]);
  return longest / TICKS_A_MS;
}

/**
 * @param {Ledger} ledger
 * @param {Pick<WriterFacts, 'writes' | 'rate' | 'faultFromMs' | 'faultToMs'>} facts
 * @returns {number | null} of the writes that were due while the fault lasted, both ends included, the share that was acked,
 *   whenever the answer came; null: none was due
 */
export function acceptedShare({ states }, { writes, rate, faultFromMs, faultToMs }) {
  let [due, acked] = [0, 0];
  for (let number = 0; number < writes; number++) {
    const at = dueMs(number, rate);
    if (at < faultFromMs || at > faultToMs) continue;
    due++;
    if (states[number] === State.acked) acked++;
  }
  return due === 0 ? null : acked / due;
}

/**
 * @param {Uint8Array} found
 * @param {number} writes
 */
function countPresent(found, writes) {
  let count = 0;
  for (let number = 0; number < Math.min(found.length, writes); number++) if (found[number] !== Found.absent) count++;
  return count;
}

/**
 * @param {ReadonlyMap<string, NodeReading>} readings
 * @param {string} primaryId
 * @param {{writes: number, capacity: number}} sizes
 */
function checkReadings(readings, primaryId, { writes, capacity }) {
  if (writes > capacity) throw new RangeError(`a ledger of ${capacity} writes cannot tell of ${writes}`);
  if (!readings.has(primaryId)) throw new RangeError(`the primary, ${primaryId}, was not read`);
  for (const [id, { found }] of readings) {
    if (found.length !== writes) throw new RangeError(`${found.length} keys of ${id} were read, ${writes} were due`);
  }
}
