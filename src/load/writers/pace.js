/**
 * The even schedule of a writer: which write is due when, and which could not leave in time.
 */

import { dueMs } from '../../audit/ledger.js';

/** @import { Account } from './writer.js' */

export class Pace {
  #plan;
  #account;
  #trySend;
  /** The first write that has neither left nor been given up. */
  #next = 0;
  /** Writes due later than this are none of this trial's. */
  #endsAt = Number.POSITIVE_INFINITY;
  #begun = false;

  /**
   * @param {{rate: number, giveUpMs: number}} plan
   * @param {Account} account
   * @param {(number: number) => boolean} trySend sends this write; false: no connection is free. Never throws
   */
  constructor(plan, account, trySend) {
    this.#plan = plan;
    this.#account = account;
    this.#trySend = trySend;
  }

  /** Write 0 is due at the account's `beganAt`. */
  begin() {
    this.#begun = true;
  }

  /** @param {number} now no write becomes due after this */
  end(now) {
    this.#endsAt = now;
  }

  /**
   * Sends what is due and gives up what is overdue for too long.
   *
   * @param {number} now `clockMs()`
   */
  look(now) {
    while (this.overdue(now)) {
      if (now - this.#dueAt() > this.#plan.giveUpMs) this.#account.unsent(this.#next);
      else if (!this.#trySend(this.#next)) return;
      this.#next++;
    }
  }

  /** Everything that is due and has not left never will. @param {number} now */
  giveUp(now) {
    while (this.overdue(now)) this.#account.unsent(this.#next++);
  }

  /** Writes that were due; final after `giveUp`, or when nothing is `overdue` after `end`. */
  get writes() {
    return this.#next;
  }

  /**
   * @param {number} now
   * @returns {boolean} a write is due that has not left
   */
  overdue(now) {
    const dueAt = this.#dueAt();
    return this.#begun && dueAt <= now && dueAt <= this.#endsAt && this.#next < this.#account.capacity;
  }

  #dueAt() {
    return this.#account.beganAt + dueMs(this.#next, this.#plan.rate);
  }
}
