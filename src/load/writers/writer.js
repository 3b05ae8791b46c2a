/**
 * What every writer of a trial has: its interface, its account and its pace. Each write goes into the ledger.
 * @import { WriterPlan, WriterSample } from '../trial-thread.js'
 * @typedef {Object} Writer one of a trial
 * @property {Account} account
 * @property {() => Promise<void>} open connects; rejects with a UserError when it cannot. `close` must follow in any case
 * @property {() => void} begin write 0 is due at `account.beganAt`
 * @property {(now: number) => void} tick sends what is due; called about every millisecond
 * @property {(now: number) => void} end no more writes become due
 * @property {(now: number) => boolean} isDone after `end`: no write is under way or overdue
 * @property {() => Promise<void>} close idempotent; then writes under way are `unknown`, and writes that were due and not sent are `unsent`
 * @property {() => WriterSample} sample after `close`
 */
import { dueMs, enterAnswer, enterSent, enterUnsent, openLedger } from '../../audit/ledger.js';
import { errorKind } from '../../clients/outcome.js';
import { Outcome } from '../../clients/types.js';
import { clockMs } from '../../stats/clock.js';
import { fromOutside } from '../../untrusted.js';

/** The kind of an answer that shows that a write was applied twice. */
const APPLIED_TWICE = 'APPLIEDTWICE';

export class Account {
  /** The write that was acknowledged last; `number` is -1 before the first. */
  lastAcked = { number: -1, node: 0, at: 0 };
  /** `clockMs()` when write 0 is due. */
  beganAt = 0;

  #ledger;
  #errors = /** @type {Map<string, number>} */ (new Map());
  #firstError = /** @type {WriterSample['firstError']} */ (null);
  #moves = /** @type {WriterSample['moves']} */ ([]);

  /** @param {WriterPlan} plan */
  constructor(plan) {
    this.name = plan.name;
    this.keyPrefix = plan.shape.keyPrefix;
    this.#ledger = openLedger(plan.ledger);
    this.capacity = this.#ledger.capacity;
  }

  /** Before a write is sent, and again if it went to another node. @param {number} number @param {number} node from 1 on; 0: unknown */
  sent(number, node) {
    enterSent(this.#ledger, number, node);
  }

  /**
   * @param {number} number @param {{outcome: number, waitCount: number, falseAck?: boolean}} answer
   * @param {number} [at] `clockMs()` when it was answered; default: now
   */
  answered(number, answer, at = clockMs()) {
    enterAnswer(this.#ledger, number, { ...answer, afterMs: at - this.beganAt });
    if (answer.outcome === Outcome.acked) this.lastAcked = { number, node: this.#ledger.nodes[number], at };
  }

  unsent(/** @type {number} */ number) {
    enterUnsent(this.#ledger, number);
  }

  /** @param {string} text an error reply without its leading `-`, or our own text that starts with its kind */
  error(text) {
    this.#firstError ??= { afterMs: this.#now(), text: fromOutside(text) };
    this.#count(errorKind(text));
  }

  appliedTwice() {
    this.#count(APPLIED_TWICE);
  }

  /** @param {number} node that the writer is connected to from now on, counted from 1; 0: no node of the stack */
  moved(node) {
    this.#moves.push({ afterMs: this.#now(), node });
  }

  /** @param {number} writes how many were due @returns {WriterSample} */
  sample(writes) {
    return {
      name: this.name,
      writes,
      errors: Object.fromEntries(this.#errors),
      firstError: this.#firstError,
      moves: this.#moves,
    };
  }

  #now() {
    return this.beganAt === 0 ? 0 : clockMs() - this.beganAt;
  }

  #count(/** @type {string} */ kind) {
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1);
  }
}

/** The even schedule of a writer: when each write is due, and which ones could not be sent in time. */
export class WritePace {
  #plan;
  #account;
  #trySend;
  /** The first write that was neither sent nor given up. */
  #next = 0;
  /** Writes due later than this do not belong to the trial. */
  #endsAt = Number.POSITIVE_INFINITY;
  #begun = false;

  /**
   * @param {{rate: number, giveUpMs: number}} plan @param {Account} account
   * @param {(number: number) => boolean} trySend sends this write; false: no connection is free. Never throws
   */
  constructor(plan, account, trySend) {
    this.#plan = plan;
    this.#account = account;
    this.#trySend = trySend;
  }

  begin() {
    this.#begun = true;
  }

  /** @param {number} now no write becomes due after this */
  end(now) {
    this.#endsAt = now;
  }

  /** Sends the writes that are due, and gives up those that are overdue for too long. @param {number} now `clockMs()` */
  look(now) {
    while (this.overdue(now)) {
      if (now - this.#dueAt() > this.#plan.giveUpMs) this.#account.unsent(this.#next);
      else if (!this.#trySend(this.#next)) return;
      this.#next++;
    }
  }

  /** Enters everything that is due and not sent as unsent. @param {number} now */
  giveUp(now) {
    while (this.overdue(now)) this.#account.unsent(this.#next++);
  }

  /** Writes that were due; final after `giveUp`, or when nothing is `overdue` after `end`. */
  get writes() {
    return this.#next;
  }

  /** @param {number} now @returns {boolean} a write is due and not sent */
  overdue(now) {
    const dueAt = this.#dueAt();
    return this.#begun && dueAt <= now && dueAt <= this.#endsAt && this.#next < this.#account.capacity;
  }

  #dueAt() {
    return this.#account.beganAt + dueMs(this.#next, this.#plan.rate);
  }
}
