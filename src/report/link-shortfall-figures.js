/**
 * The figures of the benchmark `link-shortfall`, of a case over its rounds. Pure.
 */
import { median } from '../measure/statistics.js';
import { bytes, duration } from './format.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').LinkFigures} LinkFigures
 * @typedef {NonNullable<LinkFigures['samples']>[number]} Sample
 */

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
 * @returns {{cutAfterMs: number | null, finished: number, seconds: number}} cutAfterMs: when the replica was first not connected any more,
 *   null: never; finished: how often it was connected after a full resync. Both as far as the samples show
 */
export function courseOf({ samples = [] }) {
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
 * @returns {boolean} it is the share alone that makes the case: no other backlog, no chain
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
 * When Redis's limit would be reached, from how fast the lag grows. What the kernel's buffers hold is in the lag and not in the
 * buffer: it is a few seconds later than this.
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
 * @returns {string} as it acts, which is not always as it is set
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
