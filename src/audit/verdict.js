/**
 * The verdict on one writer of one trial: the answers it got, compared with what the nodes hold. Pure functions.
 * @import { AuditResult } from '../result/failure-schema.js'
 * @import { Ledger } from './ledger.js'
 * @import { NodeReading } from './value.js'
 * @typedef {Pick<AuditResult, 'case' | 'round' | 'writer' | 'errors' | 'firstError' | 'moves' | 'library'> & Conditions} WriterFacts facts
 *   about a writer beside its ledger
 * @typedef {Object} Conditions
 * @property {boolean} appends it writes with APPEND: a write that was applied twice shows in its value
 * @property {number} writes numbers 0 … writes - 1 were due
 * @property {number} rate write i was due i/rate seconds after the writers began; > 0
 * @property {boolean} waits a WAIT was asked for @property {number} faultFromMs since the writers began
 * @property {number} faultToMs since the writers began; Infinity: until the end
 * @typedef {Object} Readings what the nodes held
 * @property {ReadonlyMap<string, NodeReading>} readings by node: what it held after healing, all of length `writes`
 * @property {string} primaryId the primary after healing, one of `readings`
 * @property {{id: string, reading: NodeReading} | null} [former] the old primary before it was demoted; later writes count as absent there
 */
import { countStates, dueMs, isFalseAck, State, TICKS_A_MS } from './ledger.js';
import { Found } from './value.js';

/** A load that ends without acknowledgements counts as an outage only if that lasted longer than this. */
const TAIL_MS = 1000;

/** By what the primary holds under a key after healing, a {@link Found}: is the write lost? @param {boolean} appends */
export function lossTest(appends) {
  return (/** @type {number} */ found) => found !== Found.right && !(appends && found === Found.twice);
}

/**
 * A write is lost if its value on the primary is absent or wrong. Writes that must not exist anywhere (rejected, unsent, wrong, twice) are
 * looked for on all nodes and on the old primary, and counted once each. `surplus` is the largest count of any node: they hold copies.
 * @param {WriterFacts & Readings & {ledger: Ledger}} trial @returns {AuditResult}
 * @throws {RangeError} a reading is missing or not as long as `writes`
 */
export function auditOf({ ledger, readings, primaryId, former = null, ...facts }) {
  const { writes, waits, writer, appends } = facts;
  checkReadings(readings, primaryId, { writes, capacity: ledger.capacity });
  const { states } = ledger;
  const primary = /** @type {NodeReading} */ (readings.get(primaryId)).found;
  const all = [...readings.values(), ...(former ? [former.reading] : [])].map(({ found }) => found);
  const isLost = lossTest(appends);

  /** By state: writes with a wrong value on the primary, writes whose key is there, writes whose key is on any node. */
  const lost = new Uint32Array(6);
  const present = new Uint32Array(6);
  const anywhere = new Uint32Array(6);
  /** By state: writes that only the old primary has. */
  const extra = new Uint32Array(6);
  let [wrongValue, appliedTwice, falseAcks, falseAcksLost] = [0, 0, 0, 0];

  for (let number = 0; number < writes; number++) {
    const state = states[number];
    const there = primary[number];
    let [isAnywhere, isWrong, isTwice] = [false, false, false];
    for (const found of all) {
      const what = found[number];
      // Undefined beyond the end of the old primary's reading.
      if (!what) continue;
      isAnywhere = true;
      if (what === Found.twice && appends) isTwice = true;
      else if (what !== Found.right) isWrong = true;
    }
    const isGone = isLost(there);
    if (isGone) lost[state]++;
    if (there !== Found.absent) present[state]++;
    if (isAnywhere) anywhere[state]++;
    if (isWrong) wrongValue++;
    if (isTwice) appliedTwice++;
    if (state === State.acked && isFalseAck(ledger, number)) {
      falseAcks++;
      if (isGone) falseAcksLost++;
    }
    if (former && there === Found.absent && former.reading.found[number]) extra[state]++;
  }

  const counts = countStates(ledger, writes);
  return {
    case: facts.case,
    round: facts.round,
    writer,
    ...counts,
    attempted: writes - counts.unsent,
    ackedLost: lost[State.acked],
    underAckedLost: lost[State.underAcked],
    rejectedBefore: rejectedBefore(ledger, facts),
    rejectedPresent: anywhere[State.rejected],
    unknownPresent: present[State.unknown],
    unknownAbsent: counts.unknown - present[State.unknown],
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
    ...(facts.library && { library: facts.library }),
  };
}

/** @param {Ledger} ledger @param {Pick<WriterFacts, 'writes' | 'faultFromMs'>} facts */
function rejectedBefore({ states, ticks }, { writes, faultFromMs }) {
  const until = faultFromMs * TICKS_A_MS;
  return countIn(states.subarray(0, writes), (state, number) => state === State.rejected && ticks[number] < until);
}

/**
 * The longest time without an acknowledgement after the fault began, by the times of the answers. It includes the time from the beginning
 * of the fault to the first acknowledgement. @param {Ledger} ledger @param {Pick<WriterFacts, 'writes' | 'rate' | 'faultFromMs'>} facts
 * @returns {number | null} null: it lasted to the end, because nothing was acknowledged after the fault began, or nothing in more than the
 *   last second before the last write was due
 */
export function unavailableMs({ states, ticks }, { writes, rate, faultFromMs }) {
  const from = Math.round(faultFromMs * TICKS_A_MS);
  // Several connections are answered out of order.
  const times = ticks
    .subarray(0, writes)
    .filter((tick, number) => states[number] === State.acked && tick >= from)
    .sort();
  if (times.length === 0) return null;
  const lastDueMs = dueMs(writes - 1, rate);
  if (lastDueMs - times[times.length - 1] / TICKS_A_MS > TAIL_MS) return null;
  let longest = times[0] - Math.max(0, from);
  for (let i = 1; i < times.length; i++) longest = Math.max(longest, times[i] - times[i - 1]);
  return longest / TICKS_A_MS;
}

/**
 * @param {Ledger} ledger @param {Pick<WriterFacts, 'writes' | 'rate' | 'faultFromMs' | 'faultToMs'>} facts
 * @returns {number | null} acked writes as a share of the writes that were due during the fault, both ends included, whenever they were
 *   answered; null: none was due
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

/** @param {Uint8Array} found @param {number} writes */
function countPresent(found, writes) {
  return countIn(found.subarray(0, writes), (each) => each !== Found.absent);
}

/** @param {Uint8Array} values @param {(value: number, number: number) => boolean} isCounted */
function countIn(values, isCounted) {
  return values.reduce((count, value, number) => count + Number(isCounted(value, number)), 0);
}

/** @param {ReadonlyMap<string, NodeReading>} readings @param {string} primaryId @param {{writes: number, capacity: number}} sizes */
function checkReadings(readings, primaryId, { writes, capacity }) {
  if (writes > capacity) throw new RangeError(`a ledger of ${capacity} writes cannot hold ${writes}`);
  if (!readings.has(primaryId)) throw new RangeError(`the primary, ${primaryId}, was not read`);
  for (const [id, { found }] of readings) {
    if (found.length !== writes) throw new RangeError(`${found.length} keys of ${id} were read, ${writes} were due`);
  }
}
