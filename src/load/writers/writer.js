/**
 * The account of one writer: what became of each write goes to the ledger, everything else is counted here.
 */
import { enterAnswer, enterSent, enterUnsent, openLedger } from '../../audit/ledger.js';
import { errorKind } from '../../clients/outcome.js';
import { Outcome } from '../../clients/types.js';
import { clockMs } from '../../stats/clock.js';
import { fromOutside } from '../../untrusted.js';

/** @import { WriterPlan, WriterSample } from '../trial-types.js' */

/** Under this name writes are counted whose answer says that they were applied twice. */
export const APPLIED_TWICE = 'APPLIEDTWICE';

export class Account {
  /** The write that was acknowledged last; `number` -1: none was. */
  lastAcked = { number: -1, node: 0, at: 0 };
  /** `clockMs()` when write 0 is due. */
  beganAt = 0;

  #ledger;
  /** @type {Map<string, number>} */
  #errors = new Map();
  /** @type {WriterSample['firstError']} */
  #firstError = null;
  /** @type {WriterSample['moves']} */
  #moves = [];

  /** @param {WriterPlan} plan */
  constructor(plan) {
    this.name = plan.name;
    this.keyPrefix = plan.shape.keyPrefix;
    this.#ledger = openLedger(plan.ledger);
    /** How many writes there is room for. */
    this.capacity = this.#ledger.capacity;
  }

  /**
   * Before a write is sent; again, when it turns out that it was sent to another node than was thought.
   *
   * @param {number} number
   * @param {number} node counted from 1; 0: not known
   */
  sent(number, node) {
    enterSent(this.#ledger, number, node);
  }

  /**
   * @param {number} number
   * @param {{outcome: number, waitCount: number, falseAck?: boolean}} answer
   */
  answered(number, answer) {
    const at = clockMs();
    enterAnswer(this.#ledger, number, { ...answer, afterMs: at - this.beganAt });
    if (answer.outcome === Outcome.acked) this.lastAcked = { number, node: this.#ledger.nodes[number], at };
  }

  /** @param {number} number */
  unsent(number) {
    enterUnsent(this.#ledger, number);
  }

  /** @param {string} text an error reply without its leading `-`, or a text of ours that begins with its kind */
  error(text) {
    this.#firstError ??= { afterMs: this.#now(), text: fromOutside(text) };
    this.#count(errorKind(text));
  }

  appliedTwice() {
    this.#count(APPLIED_TWICE);
  }

  /** @param {number} node that it is connected to from now on, counted from 1; 0: none of the stack's */
  moved(node) {
    this.#moves.push({ afterMs: this.#now(), node });
  }

  /**
   * @param {number} writes how many were due
   * @returns {WriterSample}
   */
  sample(writes) {
    return {
      name: this.name,
      writes,
      errors: Object.fromEntries(this.#errors),
      firstError: this.#firstError,
      moves: this.#moves,
    };
  }

  /** Where it began it was before it began. */
  #now() {
    return this.beganAt === 0 ? 0 : clockMs() - this.beganAt;
  }

  /** @param {string} kind */
  #count(kind) {
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1);
  }
}
