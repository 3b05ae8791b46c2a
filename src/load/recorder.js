/**
 * Counts outcomes and records latencies of one round. Nothing is allocated for an operation.
 */

import { errorKind } from '../client/outcome.js';
import { Outcome } from '../client/types.js';
import { newHistogram } from '../measure/histogram.js';

const OUTCOME_KINDS = Object.keys(Outcome).length;

export class Recorder {
  /** Nanoseconds. */
  histogram = newHistogram();
  /** Indexed by Outcome. Float64: exact beyond 2^32. */
  #counts = new Float64Array(OUTCOME_KINDS);
  /** @type {Map<string, number>} */
  #errors = new Map();

  /**
   * Takes over what became of a batch.
   *
   * @param {Uint8Array} outcomes one for each write
   * @param {number} milliseconds from the flush to the reply that completed the batch, ≥ 0; recorded for each write that
   *   was answered OK: a refusal costs less time and would flatter the figures
   */
  batch(outcomes, milliseconds) {
    const answeredOk = this.count(outcomes);
    if (answeredOk > 0) this.histogram.recordValueWithCount(Math.round(milliseconds * 1e6), answeredOk);
  }

  /**
   * Takes over what became of writes whose latency is not of interest.
   *
   * @param {Uint8Array} outcomes one for each write
   * @returns {number} how many of them were answered OK
   */
  count(outcomes) {
    const counts = this.#counts;
    let answeredOk = 0;
    for (let i = 0; i < outcomes.length; i++) {
      const outcome = outcomes[i];
      counts[outcome]++;
      if (outcome === Outcome.acked || outcome === Outcome.underAcked) answeredOk++;
    }
    return answeredOk;
  }

  /** @param {string} text as `Connection.onError` is told */
  error(text) {
    const kind = errorKind(text);
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1);
  }

  /** @param {Record<string, number>} errors another recorder's */
  addErrors(errors) {
    for (const [kind, count] of Object.entries(errors)) this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + count);
  }

  /** @returns {import('./types.js').RoundSample['outcomes']} */
  get outcomes() {
    const counts = this.#counts;
    return {
      acked: counts[Outcome.acked],
      underAcked: counts[Outcome.underAcked],
      rejected: counts[Outcome.rejected],
      unknown: counts[Outcome.unknown],
    };
  }

  /** @returns {Record<string, number>} */
  get errors() {
    return Object.fromEntries(this.#errors);
  }
}
