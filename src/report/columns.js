/**
 * The columns that benchmarks put their tables together from.
 */
import { count, duration, bytes as formatBytes, interval, percent, rate } from './format.js';

/** @typedef {import('../run/types.js').Column} Column */
/** @typedef {import('./schema.js').CaseResult} CaseResult */

/** Stands where a percentile would, when too few values lie beyond it to tell. */
export const TOO_FEW = '–';
/** So many independent values have to lie beyond a percentile for it to be shown. */
export const ENOUGH_BEYOND = 10;

/** @type {Column} */
export const client = { title: 'client', align: 'left', cell: ({ params }) => params.client };

/** @type {Column} */
export const wait = {
  title: 'WAIT',
  align: 'left',
  cell: ({ params }) => (params.wait === 0 ? 'none' : `WAIT ${params.wait}`),
};

/** How a write and its WAIT leave. @type {Column} */
export const habit = {
  title: 'sent',
  align: 'left',
  cell: ({ params }) =>
    params.wait === 0 && params.waitLocal === undefined
      ? ''
      : params.habit === 'one-flush'
        ? 'in one flush'
        : 'one after the other',
};

/** @type {Column} */
export const batch = { title: 'batch', align: 'right', cell: ({ params }) => count(params.pipeline) };

/** @type {Column} */
export const payload = { title: 'payload', align: 'right', cell: ({ params }) => formatBytes(params.payloadBytes) };

/** @type {Column} */
export const connections = { title: 'connections', align: 'right', cell: ({ params }) => count(params.connections) };

/** @type {Column} */
export const throughput = {
  title: 'acked writes (interval)',
  align: 'right',
  cell: ({ summary }) => interval(summary.throughput, rate),
};

/** What is missing of the baseline's throughput; negative: more than the baseline. @type {Column} */
export const cost = {
  title: 'cost (interval)',
  align: 'right',
  cell: ({ summary }) => {
    if (!summary.relativeToBaseline) return '';
    const { median, low, high } = summary.relativeToBaseline.throughput;
    return interval({ median: 1 - median, low: 1 - high, high: 1 - low }, percent);
  },
};

export const p50 = percentile('p50', 'p50', 0.5);
export const p99 = percentile('p99', 'p99', 0.01);
export const p999 = percentile('p99.9', 'p999', 0.001);

/** Writes that were not acknowledged as asked, of all. @type {Column} */
export const notAcked = {
  title: 'not acked',
  align: 'right',
  cell: (result) => {
    const share = notAckedShare(result);
    return share === 0 ? '0' : percent(share);
  },
};

/** @type {Column} */
export const limitedBy = { title: 'limited by', align: 'left', cell: ({ summary }) => summary.limitedBy };

/** What most tables end with. @type {readonly Column[]} */
export const MEASURED = Object.freeze([throughput, cost, p50, p99, p999, limitedBy]);

/** What a benchmark's table shows when its file is not there any more to say. */
export const DEFAULT_COLUMNS = Object.freeze([
  client,
  wait,
  batch,
  payload,
  connections,
  throughput,
  cost,
  p50,
  p99,
  p999,
  notAcked,
  limitedBy,
]);

/**
 * @param {CaseResult} result
 * @returns {import('./schema.js').RoundResult['outcomes']} of all rounds together
 */
export function outcomesOf({ rounds }) {
  const sum = { acked: 0, underAcked: 0, rejected: 0, unknown: 0 };
  for (const { outcomes } of rounds) {
    sum.acked += outcomes.acked;
    sum.underAcked += outcomes.underAcked;
    sum.rejected += outcomes.rejected;
    sum.unknown += outcomes.unknown;
  }
  return sum;
}

/**
 * @param {CaseResult} result
 * @returns {number} 0 … 1; 0 when nothing was written
 */
export function notAckedShare(result) {
  const { acked, underAcked, rejected, unknown } = outcomesOf(result);
  const notAcked = underAcked + rejected + unknown;
  return notAcked === 0 ? 0 : notAcked / (acked + notAcked);
}

/**
 * The writes of a batch complete together, so a batch of 100 is one independent value, not 100.
 *
 * @param {Pick<CaseResult, 'params' | 'summary'>} result
 * @param {number} beyond share of the values that lie beyond a percentile
 * @returns {boolean} that percentile tells something
 */
export function hasEnoughBeyond({ params, summary }, beyond) {
  const independent = summary.samples / Math.max(1, params.pipeline);
  // A hair less than the product: 0.001 × 10,000 must not fail for a rounding error.
  return independent * beyond > ENOUGH_BEYOND - 1e-9;
}

/**
 * @param {string} title
 * @param {'p50' | 'p99' | 'p999'} field
 * @param {number} beyond share of the values that lie beyond it
 * @returns {Column}
 */
function percentile(title, field, beyond) {
  return {
    title,
    align: 'right',
    cell: (result) => (hasEnoughBeyond(result, beyond) ? duration(result.summary.latencyNs[field]) : TOO_FEW),
  };
}

/**
 * The median of the rounds' p99 leaves out the rounds that fared worst: what is told is the percentile of all values, as
 * in every other table, and the rounds only tell how far it can be off.
 *
 * @param {CaseResult['summary']} summary
 * @returns {import('./schema.js').IntervalValue} the rounds' interval, made wider where the percentile of all values lies outside
 */
export function p99Interval({ latencyNs: { p99: ofAll }, p99Ns: { low, high } }) {
  return { median: ofAll, low: Math.min(low, ofAll), high: Math.max(high, ofAll) };
}
