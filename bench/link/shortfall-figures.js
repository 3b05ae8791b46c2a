/**
 * The cases of `link-shortfall`, and their figures and table.
 *
 * @import { CaseParams, CaseResult } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Case, Column } from '../../src/run/types.js'
 *
 * @typedef {NonNullable<LinkFigures['samples']>[number]} Sample
 */

import { bitRate, bytes, count, duration, percent } from '../../src/format.js';
import { left, right } from '../../src/report/columns.js';
import { overRounds } from '../../src/report/over-rounds.js';
import { makeCase } from '../../src/run/case.js';
import { NS_A_SECOND, SECONDS_AN_HOUR } from '../../src/units.js';

/** Writes a second. With keys and the protocol they are some 35 Mbit/s of replication, 1.5 times the article's 23. */
export const RATE = 4000;
const PAYLOAD_BYTES = 1000;
const CONNECTIONS = 10;
/** Timeout of the WAITs that run during the load. */
const WAIT_TIMEOUT_MS = 500;

/** Redis's own limit of a replica's output buffer. */
export const DEFAULT_LIMIT = Object.freeze({ hardBytes: 256 * 2 ** 20, softBytes: 64 * 2 ** 20, softSeconds: 60 });
/** {@link DEFAULT_LIMIT} is reached after minutes or hours. A 64th of its bytes and a 30th of its seconds fit into a round. */
const SCALED_LIMIT = 'replica 4mb 1mb 2';
/** Redis's default, and one that holds all that a round writes. */
const DEFAULT_BACKLOG = '1mb';
const LARGE_BACKLOG = '64mb';

const SHARES = [1.25, 1, 0.75, 0.5];
const LATENCIES_MS = [1, 20, 80];
const SHORT = 0.75;

/** Settings with which every Redis node starts. @type {Readonly<Record<string, string>>} */
export const STACK_SETTINGS = Object.freeze({
  'min-replicas-to-write': '0',
  'repl-backlog-size': DEFAULT_BACKLOG,
  'client-output-buffer-limit': SCALED_LIMIT,
});

/** Shares of the pace's seconds: a shortfall takes a while to show. */
const LONGER = 1.6;
const SHORTER = 0.5;

/** Less growth than this share of the demand comes from uneven writers. */
const NO_GROWTH = 0.01;
const UNKNOWN = 'not known';

/** Figures of the link over the rounds of a case. */
export const { each: linksOf, typical, total, medianColumn, totalColumn } = overRounds(({ link }) => link);

/**
 * @param {Pick<CaseParams, 'linkShare'>} params
 * @param {{seconds: number}} pace
 * @returns {number} how long a round of the case writes
 */
export function secondsOf({ linkShare }, { seconds }) {
  return seconds * (linkShare !== undefined && linkShare < 1 ? LONGER : SHORTER);
}

/** @returns {Case[]} links below or above demand, and distant ones */
export function shortfallCases() {
  return [
    ...SHARES.map((linkShare) => shortfallCase(`share-${Math.round(linkShare * 100)}`, { linkShare })),
    ...LATENCIES_MS.map((linkLatencyMs) => shortfallCase(`latency-${linkLatencyMs}ms`, { linkLatencyMs })),
    shortfallCase(`share-${SHORT * 100}-backlog-${LARGE_BACKLOG}`, {
      linkShare: SHORT,
      settings: { 'repl-backlog-size': LARGE_BACKLOG },
    }),
    shortfallCase(`share-${SHORT * 100}-chain`, { linkShare: SHORT, chain: true, replicas: 2 }),
  ];
}

/**
 * @param {string} id
 * @param {Partial<CaseParams>} params
 * @returns {Case}
 */
function shortfallCase(id, params) {
  const { params: complete } = makeCase({
    replicas: 1,
    rate: RATE,
    payloadBytes: PAYLOAD_BYTES,
    connections: CONNECTIONS,
    waitTimeoutMs: WAIT_TIMEOUT_MS,
    ...params,
  });
  return { id, params: complete };
}

/**
 * @param {LinkFigures} link
 * @returns {{disconnectedAfterMs: number | null, finished: number, seconds: number}} disconnectedAfterMs: when the samples first show the
 *   replica disconnected, null: never; finished: how often it was connected after a full resync
 */
export function timelineOf({ samples = [] }) {
  const lost = samples.find(({ state }) => state !== 'online');
  const finished = samples.filter(({ state }, i) => state === 'online' && samples[i - 1]?.state === 'syncing').length;
  return { disconnectedAfterMs: lost?.afterMs ?? null, finished, seconds: (samples.at(-1)?.afterMs ?? 0) / 1000 };
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

/** @param {CaseResult} result @returns {number | null} bytes a second by which the replica falls behind */
export const growthOf = (result) => typical(result, (link) => link.growthBytesPerSecond);
/** @param {CaseResult} result @returns {number | null} bytes a second of the replication stream */
export const demandOf = (result) => typical(result, (link) => link.demandBytesPerSecond);
/** @param {CaseResult} result @returns {number | null} bytes a second that the link carries */
export const capOf = (result) => typical(result, (link) => link.limitBytesPerSecond);
/** @param {CaseResult} result @returns {number} bytes of the sender's backlog, as set */
export const backlogOf = (result) => typical(result, (link) => link.outputLimit?.backlogBytes) ?? 0;

/**
 * @param {CaseResult} result
 * @returns {boolean} the lag grew by more than the unevenness of the writers
 */
export function grows(result) {
  const [growth, demand] = [growthOf(result), demandOf(result)];
  return growth !== null && demand !== null && growth > NO_GROWTH * demand;
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

/** @param {number} size in bytes @returns {string} in powers of ten, as in the article */
export const gigabytes = (size) => `${(size / 1e9).toPrecision(2)} GB`;

/** @param {number} seconds @returns {string} such as `64.0 s`, `5.2 min`, `2.4 h` */
export function time(seconds) {
  if (seconds < 120) return duration(seconds * NS_A_SECOND);
  const [value, unit] = seconds < SECONDS_AN_HOUR ? [seconds / 60, 'min'] : [seconds / SECONDS_AN_HOUR, 'h'];
  return `${value.toPrecision(2)} ${unit}`;
}

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
 * The number depends on how long a round is; the seconds of writing do not.
 *
 * @param {CaseResult} result
 * @returns {string} such as `29,095 (7.27 s of writing)`; empty: there was no audit
 */
export function promotionText(result) {
  const missing = typical(result, (link) => link.promotion?.missing);
  const rate = result.summary.throughput.median;
  if (missing === null) return '';
  const writing = missing === 0 || rate === 0 ? '' : ` (${duration((missing / rate) * NS_A_SECOND)} of writing)`;
  return `${count(missing)}${writing}`;
}

/**
 * @param {CaseResult} result
 * @returns {string} such as `24 of 30`
 */
export function timedOutText(result) {
  const sent = total(result, (link) => link.waits?.asked);
  return `${count(sent - total(result, (link) => link.waits?.reached))} of ${count(sent)}`;
}

/**
 * @param {CaseResult} result
 * @param {(growth: number) => string} format of bytes a second
 */
export function growthText(result, format) {
  const growth = growthOf(result);
  if (growth === null) return UNKNOWN;
  return grows(result) ? format(growth) : '0';
}

/** @param {CaseResult} result */
function lagText(result) {
  const [lag, demand] = [typical(result, (link) => link.maxLagBytes), demandOf(result)];
  return lag === null || !demand ? UNKNOWN : `${bytes(lag)} (${(lag / demand).toFixed(2)} s)`;
}

/** @param {CaseResult} result */
function infoLagText(result) {
  const seconds = linksOf(result).flatMap(({ samples = [] }) => samples.flatMap(({ lagSeconds }) => lagSeconds ?? []));
  return seconds.length === 0 ? UNKNOWN : `${Math.max(...seconds)} s`;
}

/** @type {Column[]} */
export const SHORTFALL_COLUMNS = [
  left('link', linkTitle),
  medianColumn('demand', (link) => link.demandBytesPerSecond, bitRate),
  medianColumn('capped to', (link) => link.limitBytesPerSecond, bitRate),
  right('lag grows by, a second', (result) => growthText(result, bytes)),
  right('an hour', (result) => growthText(result, (growth) => bytes(growth * SECONDS_AN_HOUR))),
  right('largest lag (of writing)', lagText),
  right('lag in INFO', infoLagText),
  medianColumn('largest output buffer', (link) => link.maxBufferBytes, bytes),
  medianColumn(
    'sender memory grew by',
    (link) => link.memoryGrowthBytes,
    (size) => bytes(Math.max(0, size)),
  ),
  totalColumn('disconnected', (link) => link.disconnects),
  totalColumn('full resyncs', (link) => link.fullResyncs),
  totalColumn('partial', (link) => link.partialResyncs),
  medianColumn('missed when back', (link) => link.missedBytes, bytes),
  medianColumn('WAIT 1 p50', (link) => link.waits?.latencyNs.p50, duration, UNKNOWN),
  right('WAIT timed out', timedOutText),
  right('acked writes lost by a promotion', promotionText),
];
