/**
 * The columns of the benchmarks' tables, and the figures in them.
 * @import { CaseResult, IntervalValue, RoundResult } from '../result/schema.js' @import { Column } from '../table.js'
 */

import { count, duration, bytes as formatBytes, interval, percent, rate } from '../format.js';
import { clientTitle } from '../registry/clients.js';
import { addCounts } from '../stats/statistics.js';
import { hasEnoughBeyond } from '../stats/summary.js';
import { left, right } from '../table.js';

export { left, right };

/** Shown instead of a percentile with too few values beyond it. */
export const TOO_FEW = '–';

/** @typedef {(title: string, cell: (result: CaseResult) => string) => Column<CaseResult>} Made */
const [words, figures] = /** @type {Made[]} */ ([left, right]);

export const client = words('client', ({ params }) => clientTitle(params.client));
export const wait = words('WAIT', ({ params }) => (params.wait === 0 ? 'none' : `WAIT ${params.wait}`));
/** Pipelined: WAIT is sent with the write. Sequential: WAIT is sent after the write was answered. */
export const waitMode = words('WAIT sent', ({ params }) =>
  params.wait === 0 && params.waitLocal === undefined ? '' : params.waitMode,
);
export const batch = figures('pipeline depth', ({ params }) => count(params.pipeline));
export const payload = figures('payload', ({ params }) => formatBytes(params.payloadBytes));
export const connections = figures('connections', ({ params }) => count(params.connections));
export const throughput = figures('acked writes (interval)', ({ summary }) => interval(summary.throughput, rate));
/** The lost share of the baseline's throughput. A negative cost is a gain. */
export const cost = figures('cost (interval)', ({ summary }) =>
  summary.relativeToBaseline ? interval(costOf(summary.relativeToBaseline.throughput), percent) : '',
);

/** Closed loop: the time from the actual send. */
export const p50 = percentile('service time: p50', 'p50', 0.5);
export const p99 = percentile('p99', 'p99', 0.01);
export const p999 = percentile('p99.9', 'p999', 0.001);

export const notAcked = figures('not acked', (result) => {
  const { acked, underAcked, rejected, unknown } = outcomesOf(result);
  const others = underAcked + rejected + unknown;
  return others === 0 ? '0' : percent(others / (acked + others));
});

export const limitedBy = words('limited by', ({ summary }) => summary.limitedBy);

export const MEASURED = Object.freeze([throughput, cost, p50, p99, p999, limitedBy]);

/** The table of a benchmark that this version does not know. */
export const DEFAULT_COLUMNS = Object.freeze([
  ...[client, wait, batch, payload, connections],
  ...MEASURED.toSpliced(-1, 0, notAcked),
]);

/** @param {IntervalValue} relative throughput over that of the baseline @returns {IntervalValue} the lost share of the baseline's throughput */
export function costOf({ median, low, high }) {
  return { median: 1 - median, low: 1 - high, high: 1 - low };
}

/** @param {Pick<CaseResult, 'rounds'>} result @returns {RoundResult['outcomes']} of all rounds together */
export function outcomesOf({ rounds }) {
  const none = { acked: 0, underAcked: 0, rejected: 0, unknown: 0 };
  return addCounts(none, ...rounds.map(({ outcomes }) => outcomes));
}

/** @param {string} title @param {'p50' | 'p99' | 'p999'} field @param {number} beyond share of the values that lie beyond it @returns {Column<CaseResult>} */
function percentile(title, field, beyond) {
  return figures(title, (result) => {
    const ns = result.summary.latencyNs[field];
    return hasEnoughBeyond(result, beyond) ? `${atLeast(result.rounds, ns)}${duration(ns)}` : TOO_FEW;
  });
}

/** @param {readonly RoundResult[]} rounds @param {number} ns a percentile of their response times @returns {string} `≥ `: a lower bound, as some were never sent */
export function atLeast(rounds, ns) {
  return rounds.some(({ openLoop }) => openLoop?.waiting && ns >= openLoop.waiting.leastNs) ? '≥ ' : '';
}
