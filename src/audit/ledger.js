/**
 * The ledger: the outcome of each write of one writer, in flat memory shared by two threads, 8 bytes a write. Number `i` is due `i / rate`
 * seconds after the writer began. It is `unknown` before it is sent, so a crash can leave an outcome open, never make it wrong.
 */
import { Outcome } from '../clients/types.js';

/** The state of a write: its outcome, or one of two states of writes that were not attempted. */
export const State = Object.freeze({
  /** Not due yet, or never reached by the writer. */
  none: 0,
  acked: 1,
  underAcked: 2,
  rejected: 3,
  unknown: 4,
  /** Due, but not sent: no connection was free in time. */
  unsent: 5,
});

/** Resolution of times in the ledger. A Uint32 of these lasts 11 hours. */
export const TICKS_A_MS = 100;

const BYTES_A_WRITE = 8;

/** WAIT was answered on another connection than the write, so its count says nothing about the write. */
const FALSE_ACK = 1;

/** @type {Readonly<Record<number, number>>} */
const STATE_OF_OUTCOME = Object.freeze({
  [Outcome.unknown]: State.unknown,
  [Outcome.acked]: State.acked,
  [Outcome.underAcked]: State.underAcked,
  [Outcome.rejected]: State.rejected,
});

/**
 * @typedef {Object} Ledger
 * @property {SharedArrayBuffer} buffer shared with another thread @property {number} capacity writes that it can hold
 * @property {Uint32Array} ticks when each write was answered, in hundredths of a millisecond since the writer began; 0: never
 * @property {Uint8Array} states one {@link State} a write
 * @property {Uint8Array} nodes number of the node that it was sent to last, counted from 1; 0: none
 * @property {Uint8Array} waited WAIT's count plus 1; 0: WAIT was not answered or not sent
 * @property {Uint8Array} flags
 */

/** @param {number} capacity writes, ≥ 1 @returns {Ledger} */
export function createLedger(capacity) {
  return openLedger(new SharedArrayBuffer(Math.ceil(capacity) * BYTES_A_WRITE));
}

/** @param {SharedArrayBuffer | ArrayBuffer} memory of a ledger @returns {Ledger} */
export function openLedger(memory) {
  const buffer = /** @type {SharedArrayBuffer} */ (memory);
  const capacity = buffer.byteLength / BYTES_A_WRITE;
  return {
    buffer,
    capacity,
    ticks: new Uint32Array(buffer, 0, capacity),
    states: new Uint8Array(buffer, capacity * 4, capacity),
    nodes: new Uint8Array(buffer, capacity * 5, capacity),
    waited: new Uint8Array(buffer, capacity * 6, capacity),
    flags: new Uint8Array(buffer, capacity * 7, capacity),
  };
}

/** Call it before a write is sent. @param {Ledger} ledger @param {number} number @param {number} node to which, counted from 1 */
export function enterSent(ledger, number, node) {
  ledger.states[number] = State.unknown;
  ledger.nodes[number] = node;
}

/** Call it for a write that was due and could not be sent. @param {Ledger} ledger @param {number} number */
export function enterUnsent(ledger, number) {
  ledger.states[number] = State.unsent;
}

/**
 * Call it when a write was answered. @param {Ledger} ledger @param {number} number
 * @param {{outcome: number, afterMs: number, waitCount: number, falseAck?: boolean}} answer outcome: an `Outcome`; `unknown` means no
 *   answer, so no time is entered. afterMs: since the writer began. waitCount: -1: none
 */
export function enterAnswer(ledger, number, { outcome, afterMs, waitCount, falseAck = false }) {
  // The time first: once the other thread sees the state, the time is valid.
  if (outcome !== Outcome.unknown) ledger.ticks[number] = Math.max(1, Math.round(afterMs * TICKS_A_MS));
  ledger.waited[number] = waitCount + 1;
  if (falseAck) ledger.flags[number] |= FALSE_ACK;
  ledger.states[number] = STATE_OF_OUTCOME[outcome];
}

/** @param {Ledger} ledger @param {number} number @returns {number} when it was answered, milliseconds since the writer began; 0: never */
export function answeredAfterMs(ledger, number) {
  return ledger.ticks[number] / TICKS_A_MS;
}

/** @param {number} number of a write @param {number} rate @returns {number} when it was due, milliseconds since the writers began */
export function dueMs(number, rate) {
  return (number * 1000) / rate;
}

/** @param {number} state @returns {boolean} the write was answered OK, with as many replicas as asked for or with fewer */
export function isAccepted(state) {
  return state === State.acked || state === State.underAcked;
}

/** @typedef {ReturnType<typeof countStates>} LedgerCounts */

/** @param {Ledger} ledger @param {number} writes that were due; one that the writer never reached was not sent either */
export function countStates({ states }, writes) {
  const times = new Uint32Array(Object.keys(State).length);
  for (const state of states.subarray(0, writes)) times[state]++;
  const [none, acked, underAcked, rejected, unknown, unsent] = times;
  return { due: writes, unsent: unsent + none, acked, underAcked, rejected, unknown };
}

/** @param {Ledger} ledger @param {number} number */
export function isFalseAck(ledger, number) {
  return (ledger.flags[number] & FALSE_ACK) !== 0;
}
