/**
 * What the rounds of a copying case come to, for its table, findings and checks.
 */
import { median } from '../measure/statistics.js';
import { ENOUGH_BEYOND } from './columns.js';
import { count } from './format.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').CopyFigures} CopyFigures
 */

/** Title of the article whose figures are held against those measured here. */
export const COPY_SEED = 'Architecture and Performance Description';

/** Of one CPU, or of all of them: nine tenths of the time. */
const BUSY = 0.9;

/**
 * @param {CaseResult} result
 * @returns {CopyFigures[]} of each round
 */
export function figuresOf({ rounds }) {
  return rounds.flatMap(({ copy }) => copy ?? []);
}

/**
 * @param {CaseResult} result
 * @param {(figures: CopyFigures) => number | null | undefined} value
 * @returns {number | null} the median over the rounds that have it; null: none has
 */
export function typical(result, value) {
  const known = figuresOf(result).flatMap((figures) => value(figures) ?? []);
  return known.length === 0 ? null : median(known);
}

/**
 * @param {CaseResult} result
 * @param {(figures: CopyFigures) => number} value
 * @returns {number} of all rounds together
 */
export function total(result, value) {
  return figuresOf(result).reduce((sum, figures) => sum + value(figures), 0);
}

/**
 * A mover that failed early was not fast: its rate and its time are none of a copy.
 *
 * @param {CaseResult} result
 * @returns {boolean} the copies had everything in each round
 */
export function isFinished(result) {
  return figuresOf(result).every(({ behindSeconds }) => behindSeconds !== null);
}

/** @param {CopyFigures} figures */
export function differencesOf({ comparison: { missing, extra, type, value, ttl } }) {
  return missing + extra + type + value + ttl;
}

/**
 * @param {CaseResult} result
 * @returns {string} such as `7 (missing 5, expiry 2)`; empty where nothing was copied
 */
export function differencesText(result) {
  if (figuresOf(result).length === 0) return '';
  const all = total(result, differencesOf);
  if (all === 0) return '0';
  const kinds = /** @type {const} */ (['missing', 'extra', 'type', 'value', 'ttl']).flatMap((kind) => {
    const found = total(result, ({ comparison }) => comparison[kind]);
    return found === 0 ? [] : `${kind === 'ttl' ? 'expiry' : kind} ${count(found)}`;
  });
  return `${count(all)} (${kinds.join(', ')})`;
}

/**
 * What a program of others changes is counted and told, but it is nothing that went wrong here.
 *
 * @param {CaseResult} result
 * @returns {boolean} such a program was the mover
 */
export function isForeign({ params }) {
  return params.mover?.startsWith('redis-shake') ?? false;
}

/**
 * @param {CaseResult} result
 * @param {'before' | 'during' | 'after'} phase
 * @returns {number | null} the p99 of those who write to the source, ns; null: nobody did, or too few values lie beyond to tell
 */
export function p99Of(result, phase) {
  return typical(result, ({ writers }) => {
    if (!writers) return null;
    const { writes, p99Ns } = writers[phase];
    // A hair less than the product: a rounding error must not decide.
    return (writes / Math.max(1, result.params.pipeline)) * 0.01 > ENOUGH_BEYOND - 1e-9 ? p99Ns : null;
  });
}

/**
 * @param {CaseResult} result
 * @returns {boolean} the copy was in sync before anything was timed, and what was written then was brought over
 */
export function isIncremental({ params }) {
  return params.mode === 'sync-aof' || params.mode === 'scan-ksn';
}

/**
 * @param {CaseResult} result of a mover that does not notice what changes behind it, while somebody writes
 * @returns {boolean}
 */
export function missesChanges({ params }) {
  return params.mode === 'scan-writes';
}

/**
 * @param {CaseResult} result
 * @returns {number | null} keys or writes that were brought over, for each write of the source in the same time
 */
export function ratioOf(result) {
  return typical(result, ({ copyRate, sourceRate }) => (sourceRate > 0 ? copyRate / sourceRate : null));
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {string} mode
 * @param {number} [pairs]
 * @returns {CaseResult | undefined}
 */
export function caseOf({ cases }, mode, pairs = 1) {
  return cases.find(
    (result) => result.params.mode === mode && result.params.pairs === pairs && figuresOf(result).length > 0,
  );
}

/**
 * Who had no more to give, by one rule; the first that holds. A busy machine comes first: nodes, movers and writers then wait for a
 * CPU rather than for each other.
 *
 * @param {CaseResult} result
 * @returns {string}
 */
export function limitOf(result) {
  const { rounds, params } = result;
  if (rounds.length === 0) return '';
  const pairs = params.pairs ?? 1;
  const each = (/** @type {'source' | 'copy' | 'mover'} */ side) =>
    (typical(result, ({ use }) => use[side]?.cpu) ?? 0) / pairs;
  if (median(rounds.map(({ machineCpu }) => machineCpu)) >= BUSY) return 'machine';
  if (each('mover') >= BUSY) return 'mover';
  // With its children: more than one CPU is possible, but not less than one that is busy.
  if (each('source') >= BUSY) return 'source';
  if (each('copy') >= BUSY) return 'copy';
  const writers = median(rounds.map(({ load }) => load.cpu ?? 0));
  return writers >= BUSY ? 'writers' : 'nothing alone';
}

/**
 * @param {CaseResult} result
 * @returns {string} such as `the machine`, for a sentence
 */
export function limitText(result) {
  const limit = limitOf(result);
  return limit === 'nothing alone' ? limit : `the ${limit}`;
}

/**
 * @param {CaseResult} result
 * @returns {number} keys, or writes, brought over a second
 */
export function rateOf(result) {
  return typical(result, ({ copyRate }) => copyRate) ?? 0;
}

/**
 * @param {CaseResult} result
 * @returns {number | null} bytes that the sources sent for each key, whomever to
 */
export function sentForEach(result) {
  return typical(result, ({ use, copiedKeys }) =>
    use.source.networkOutBytes === null || copiedKeys === 0 ? null : use.source.networkOutBytes / copiedKeys,
  );
}

/**
 * What a mover reads it sends once more: without that, half of what it takes would be left out.
 *
 * @param {CaseResult} result
 * @returns {number | null} bytes for each key that the sources sent, and the movers to the copies; null: not counted
 */
export function networkForEach(result) {
  return typical(result, ({ use: { source, mover }, copiedKeys }) => {
    const sent = [source.networkOutBytes, mover ? mover.networkOutBytes : 0];
    return copiedKeys === 0 || sent.includes(null) ? null : (Number(sent[0]) + Number(sent[1])) / copiedKeys;
  });
}

/** @param {readonly CaseResult[]} results */
export function evidenceOf(results) {
  return results.map(({ id }) => id);
}
