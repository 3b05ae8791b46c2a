/**
 * Counts outcomes and records latencies of one round. It allocates nothing per operation.
 * @import { LoadConnection } from '../clients/types.js'
 * @import { RoundSample } from './types.js'
 * @typedef {Pick<LoadConnection, 'outcomes' | 'fetched' | 'misses'>} Counted
 */
import { errorKind } from '../clients/outcome.js';
import { Outcome } from '../clients/types.js';
import { newHistogram } from '../stats/histogram.js';
import { NS_A_MS } from '../units.js';
import { fromOutside } from '../untrusted.js';

const OUTCOME_KINDS = Object.keys(Outcome).length;

export class Recorder {
  firstError = /** @type {string | null} */ (null);
  histogram = newHistogram();
  /** Indexed by Outcome. Float64: exact beyond 2^32. */
  #writes = new Float64Array(OUTCOME_KINDS);
  #reads = new Float64Array(OUTCOME_KINDS);
  #misses = 0;
  #errors = /** @type {Map<string, number>} */ (new Map());

  /**
   * Counts the outcomes of a batch and records its latency, only of operations answered with success: a refusal takes less time.
   * @param {Counted} connection @param {number} milliseconds @returns {number} how many latencies were recorded
   */
  batch(connection, milliseconds) {
    const answered = this.count(connection);
    if (answered > 0) this.histogram.recordValueWithCount(nanoseconds(milliseconds), answered);
    return answered;
  }

  /** Counts without a latency. @param {Counted} connection @returns {number} how many operations were answered with success */
  count({ outcomes, fetched, misses }) {
    const counts = fetched ? this.#reads : this.#writes;
    let acked = 0;
    let underAcked = 0;
    for (let i = 0; i < outcomes.length; i++) {
      const outcome = outcomes[i];
      // The usual outcomes stay in registers until the end.
      if (outcome === Outcome.acked) acked++;
      else if (outcome === Outcome.underAcked) underAcked++;
      else counts[outcome]++;
    }
    counts[Outcome.acked] += acked;
    counts[Outcome.underAcked] += underAcked;
    if (fetched) this.#misses += misses;
    return acked + underAcked;
  }

  /** @param {string} text as `LoadConnection.onError` gets it */
  error(text) {
    this.firstError ??= fromOutside(text);
    const kind = errorKind(text);
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1);
  }

  addErrors(/** @type {Recorder} */ other) {
    this.firstError ??= other.firstError;
    for (const [kind, count] of other.#errors) this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + count);
  }

  get outcomes() {
    return outcomesIn(this.#writes);
  }

  get readOutcomes() {
    return outcomesIn(this.#reads);
  }

  get reads() {
    const reads = this.#reads;
    return {
      answered: reads[Outcome.acked],
      misses: this.#misses,
      failed: reads[Outcome.rejected] + reads[Outcome.unknown],
    };
  }

  get operations() {
    let sum = 0;
    for (let outcome = 0; outcome < OUTCOME_KINDS; outcome++) sum += this.#writes[outcome] + this.#reads[outcome];
    return sum;
  }

  get errors() {
    return Object.fromEntries(this.#errors);
  }
}

/** @param {Float64Array} counts indexed by Outcome @returns {RoundSample['outcomes']} */
function outcomesIn(counts) {
  return {
    acked: counts[Outcome.acked],
    underAcked: counts[Outcome.underAcked],
    rejected: counts[Outcome.rejected],
    unknown: counts[Outcome.unknown],
  };
}

/** @param {number} milliseconds @returns {number} what a histogram takes */
export function nanoseconds(milliseconds) {
  return Math.max(0, Math.round(milliseconds * NS_A_MS));
}
