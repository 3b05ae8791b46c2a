/** For tests and measurements only: ledgers made by hand, and a node that holds what a writer wrote. */
import { keyName } from '../clients/native-batch.js';
import { Outcome } from '../clients/types.js';
import { createLedger, enterAnswer, enterSent, enterUnsent } from './ledger.js';
import { Found, valueMaker } from './value.js';

/**
 * @import { KeysToRead, NodeReading } from './value.js'
 * @import { WriterFacts } from './verdict.js'
 */

const BATCH = 1000;

/**
 * @typedef {Object} LedgerEntry the outcome of a write
 * @property {keyof typeof Outcome | 'unsent' | 'none'} is
 * @property {number} [at] when it was answered, milliseconds since the writer began
 * @property {number} [node] default 1
 * @property {boolean} [falseAck]
 *
 * @param {readonly LedgerEntry[]} entries
 * @param {number} [capacity] default: as many as there are entries
 */
export function ledgerOf(entries, capacity = entries.length) {
  const ledger = createLedger(capacity);
  entries.forEach(({ is, at = 0, node = 1, falseAck }, number) => {
    if (is === 'none') return;
    if (is === 'unsent') {
      enterUnsent(ledger, number);
      return;
    }
    enterSent(ledger, number, node);
    enterAnswer(ledger, number, { outcome: Outcome[is], afterMs: at, waitCount: -1, falseAck });
  });
  return ledger;
}

/** @type {Record<string, number>} */
const FOUND_OF_LETTER = { '.': Found.absent, r: Found.right, w: Found.wrong, t: Found.twice };

/**
 * @param {string} letters one a write: `.` absent, `r` right, `w` wrong, `t` twice
 * @param {number} [surplus]
 * @returns {NodeReading}
 */
export function readingOf(letters, surplus = 0) {
  return { found: Uint8Array.from(letters, (letter) => FOUND_OF_LETTER[letter]), surplus, primary: false };
}

/** @type {WriterFacts} of a writer without a fault */
export const FACTS = {
  case: 'wait1',
  round: 1,
  writer: 'sticky',
  appends: false,
  writes: 0,
  rate: 100,
  waits: true,
  faultFromMs: 0,
  faultToMs: Number.POSITIVE_INFINITY,
  errors: {},
  firstError: null,
  moves: [],
};

/**
 * Writes all values of a writer, as if nothing had gone wrong.
 * @param {{call: (command: string, ...words: string[]) => Promise<unknown>}} node
 * @param {KeysToRead} keys
 */
export async function fill(node, { keyPrefix, count, payloadBytes }) {
  const value = valueMaker(keyPrefix, payloadBytes);
  for (let first = 0; first < count; first += BATCH) {
    const words = [];
    for (let number = first; number < Math.min(count, first + BATCH); number++) {
      words.push(keyName(keyPrefix, number), value(number));
    }
    await node.call('MSET', ...words);
  }
}
