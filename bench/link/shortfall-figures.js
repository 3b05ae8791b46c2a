/**
 * The figures of the benchmark `link-shortfall` over the rounds of a case, and its table.
 *
 * @import { CaseResult, LinkFigures } from '../../src/result/schema.js'
 * @import { Column } from '../../src/run/types.js'
 *
 * @typedef {NonNullable<LinkFigures['samples']>[number]} Sample
 */
import { bitRate, bytes, count, duration, percent } from '../../src/report/format.js';
import { median } from '../../src/stats/statistics.js';

/** The article's demand, in bytes a second. */
export const ARTICLE_DEMAND = 23e6 / 8;
/** Redis's own limit of a replica's output buffer. */
export const DEFAULT_LIMIT = Object.freeze({ hardBytes: 256 * 2 ** 20, softBytes: 64 * 2 ** 20, softSeconds: 60 });
export const SECONDS_AN_HOUR = 3600;
const NS_A_SECOND = 1e9;

/**
 * @param {CaseResult} result
 * @returns {LinkFigures[]} of each round
 */
export function linksOf({ rounds }) {
  return rounds.flatMap(({ link }) => (link ? [link] : []));
}

/**
 * @param {CaseResult} result
 * @param {(link: LinkFigures) => number | null | undefined} pick
 * @returns {number | null} the median of the rounds that have it; null: none has
 */
export function typical(result, pick) {
  const values = linksOf(result)
    .map(pick)
    .filter((value) => value != null);
  return values.length === 0 ? null : median(values);
}

/**
 * @param {CaseResult} result
 * @param {(link: LinkFigures) => number | null | undefined} pick
 * @returns {number} of all rounds together
 */
export function total(result, pick) {
  return linksOf(result).reduce((sum, link) => sum + (pick(link) ?? 0), 0);
}

/**
 * @param {LinkFigures} link
 * @returns {{cutAfterMs: number | null, finished: number, seconds: number}} cutAfterMs: when the samples first show the replica not
 *   connected, null: never; finished: how often it was connected after a full resync
 */
export function timelineOf({ samples = [] }) {
  const last = samples[samples.length - 1];
  const cut = samples.find(({ state }) => state !== 'online');
  const finished = samples.filter(({ state }, i) => state === 'online' && samples[i - 1]?.state === 'syncing').length;
  return { cutAfterMs: cut?.afterMs ?? null, finished, seconds: (last?.afterMs ?? 0) / 1000 };
}

/**
 * @param {CaseResult} result
 * @returns {boolean} the link carries less than is demanded
 */
export function isShort({ params: { linkShare } }) {
  return linkShare !== undefined && linkShare < 1;
}

/**
 * @param {CaseResult} result
 * @returns {boolean} the case differs from others by its share only: default backlog, no chain
 */
export function isPlain({ params: { linkShare, chain, settings } }) {
  return linkShare !== undefined && !chain && settings?.['repl-backlog-size'] === undefined;
}

/**
 * @param {CaseResult} result
 * @returns {number} bytes of the sender's backlog, as set
 */
export function backlogOf(result) {
  return typical(result, (link) => link.outputLimit?.backlogBytes) ?? 0;
}

/**
 * When Redis's limit would be reached, from how fast the lag grows. The kernel's buffers delay it by a few seconds.
 *
 * @param {number} growth bytes a second
 * @param {{hardBytes: number, softBytes: number, softSeconds: number}} limit
 * @returns {number} seconds; Infinity: never
 */
export function limitAfterSeconds(growth, { hardBytes, softBytes, softSeconds }) {
  if (growth <= 0) return Number.POSITIVE_INFINITY;
  return Math.min(hardBytes / growth, softBytes / growth + softSeconds);
}

/**
 * @param {NonNullable<LinkFigures['outputLimit']>} limits
 * @returns {string} the limit in force: Redis raises a hard limit below the backlog
 */
export function limitText({ hardBytes, softBytes, softSeconds, backlogBytes }) {
  const hard = hardBytes === 0 ? 'none' : bytes(Math.max(hardBytes, backlogBytes));
  const raised = hardBytes > 0 && backlogBytes > hardBytes ? ' (Redis raises it to the size of the backlog)' : '';
  return `${hard}${raised}${softBytes === 0 ? '' : `, or ${bytes(softBytes)} for ${softSeconds} s`}`;
}

/** @param {number} size in bytes @returns {string} in powers of ten, as the article has it */
export const gigabytes = (size) => `${(size / 1e9).toPrecision(2)} GB`;

/** @param {number} seconds @returns {string} such as `64.0 s`, `5.2 min`, `2.4 h` */
export function time(seconds) {
  if (seconds < 120) return duration(seconds * NS_A_SECOND);
  return seconds < SECONDS_AN_HOUR
    ? `${(seconds / 60).toPrecision(2)} min`
    : `${(seconds / SECONDS_AN_HOUR).toPrecision(2)} h`;
}

/** Less growth than this share of the demand comes from uneven writers. */
const NO_GROWTH = 0.01;

/**
 * @param {CaseResult} result
 * @returns {string} such as `75% of demand, replica of a replica`
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
 * The number depends on how long a round is; the seconds of writing do not.
 *
 * @param {CaseResult} result
 * @returns {string} such as `29,095 (7.27 s of writing)`; empty: there was no audit
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
 * @param {(link: LinkFigures) => number | null | undefined} pick
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
