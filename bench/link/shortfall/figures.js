/**
 * The table of the benchmark `link-shortfall`.
 */
import { bitRate, bytes, count, duration, percent } from './format.js';
import { linksOf, SECONDS_AN_HOUR, total, typical } from './link-shortfall-figures.js';

/**
 * @typedef {import('../run/types.js').Column} Column
 * @typedef {import('./schema.js').CaseResult} CaseResult
 */

/** Growth below this share of the demand is what the writers' own unevenness makes. */
const NO_GROWTH = 0.01;
const NS_A_SECOND = 1e9;

/**
 * @param {CaseResult} result
 * @returns {string} such as `75 % of demand, replica of a replica`
 */
export function linkTitle({ params: { linkShare, linkLatencyMs, chain, settings } }) {
  const parts = [];
  if (linkShare !== undefined) parts.push(`${percent(linkShare)} of demand`);
  if (linkLatencyMs !== undefined) parts.push(`${linkLatencyMs} ms a round trip, no cap`);
  if (settings?.['repl-backlog-size']) parts.push(`backlog ${settings['repl-backlog-size']}`);
  if (chain) parts.push('replica of a replica');
  return parts.join(', ');
}

/**
 * @param {CaseResult} result
 * @returns {boolean} the lag grew by more than the unevenness of the writers
 */
export function grows(result) {
  const growth = typical(result, (link) => link.growthBytesPerSecond);
  const demand = typical(result, (link) => link.demandBytesPerSecond);
  return growth !== null && demand !== null && growth > NO_GROWTH * demand;
}

/**
 * @param {CaseResult} result
 * @param {number} perSeconds
 */
function growthCell(result, perSeconds) {
  const growth = typical(result, (link) => link.growthBytesPerSecond);
  if (growth === null) return 'not known';
  return grows(result) ? bytes(growth * perSeconds) : '0';
}

/** @param {CaseResult} result */
function lagCell(result) {
  const lag = typical(result, (link) => link.maxLagBytes);
  const demand = typical(result, (link) => link.demandBytesPerSecond);
  return lag === null || !demand ? 'not known' : `${bytes(lag)} (${(lag / demand).toFixed(2)} s)`;
}

/** @param {CaseResult} result */
function toldLag(result) {
  const seconds = linksOf(result).flatMap(({ samples = [] }) => samples.flatMap(({ lagSeconds }) => lagSeconds ?? []));
  return seconds.length === 0 ? 'not known' : `${Math.max(...seconds)} s`;
}

/** @param {CaseResult} result */
function waitCell(result) {
  const p50 = typical(result, (link) => link.waits?.latencyNs.p50);
  return p50 === null ? 'not known' : duration(p50);
}

/** @param {CaseResult} result */
function timedOutCell(result) {
  const asked = total(result, (link) => link.waits?.asked);
  return `${count(asked - total(result, (link) => link.waits?.reached))} of ${count(asked)}`;
}

/**
 * How many of all there were depends on how long a round is; how much time they stand for does not.
 *
 * @param {CaseResult} result
 * @returns {string} such as `29,095 (7.27 s of writing)`; empty: nothing was looked for
 */
export function promotionText(result) {
  const missing = typical(result, (link) => link.promotion?.missing);
  const rate = result.summary.throughput.median;
  if (missing === null) return '';
  return missing === 0 || rate === 0
    ? count(missing)
    : `${count(missing)} (${duration((missing / rate) * NS_A_SECOND)} of writing)`;
}

/** @param {CaseResult} result */
function resyncCell(result) {
  return `${count(total(result, (link) => link.fullResyncs))}, ${count(total(result, (link) => link.partialResyncs))}`;
}

/**
 * @param {string} title
 * @param {(result: CaseResult) => string} cell
 * @returns {Column}
 */
const right = (title, cell) => ({ title, align: 'right', cell });

/**
 * @param {string} title
 * @param {(link: import('./schema.js').LinkFigures) => number | null | undefined} pick
 * @param {(value: number) => string} format
 */
const figure = (title, pick, format) =>
  right(title, (result) => {
    const value = typical(result, pick);
    return value === null ? '' : format(value);
  });

/** @type {Column[]} */
export const SHORTFALL_COLUMNS = [
  { title: 'link', align: 'left', cell: linkTitle },
  figure('demand', (link) => link.demandBytesPerSecond, bitRate),
  figure('capped to', (link) => link.limitBytesPerSecond, bitRate),
  right('lag grows by, a second', (result) => growthCell(result, 1)),
  right('an hour', (result) => growthCell(result, SECONDS_AN_HOUR)),
  right('largest lag (of writing)', lagCell),
  right('lag as Redis tells', toldLag),
  figure('largest output buffer', (link) => link.maxBufferBytes, bytes),
  figure(
    'sender memory grew by',
    (link) => link.memoryGrowthBytes,
    (size) => bytes(Math.max(0, size)),
  ),
  right('cut off', (result) => count(total(result, (link) => link.disconnects))),
  right('resyncs full, partial', resyncCell),
  figure('missed when back', (link) => link.missedBytes, bytes),
  right('WAIT 1 p50', waitCell),
  right('WAIT timed out', timedOutCell),
  right('acked writes lost by a promotion', promotionText),
];
