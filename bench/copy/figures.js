/**
 * The figures of a copying case over its rounds.
 *
 * @import { CaseResult } from '../../src/result/schema.js'
 * @import { CopyFigures } from './document.js'
 */

import { count, duration } from '../../src/format.js';
import { hasEnoughBeyond } from '../../src/report/columns.js';
import { overRounds } from '../../src/report/over-rounds.js';
import { cpusIn } from '../../src/stacks/processes.js';
import { median } from '../../src/stats/statistics.js';
import { NS_A_MS } from '../../src/units.js';
import { MODES } from './modes.js';

/** Modes in which new writes are copied. */
const INCREMENTAL = new Set(MODES.filter(({ what }) => what === 'incremental').map(({ name }) => name));

/** A CPU, or all of them, counts as busy from this share of the time on. */
const BUSY = 0.9;

/** Figures of the copying over the rounds of a case. */
export const { each: figuresOf, typical, total } = overRounds(({ copy }) => copy);

/**
 * A mover that failed early has no meaningful rate or time.
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
 * @returns {string} such as `7 (missing 5, expiry 2 by ≤3.00 ms)`; empty when nothing was copied
 */
export function differencesText(result) {
  if (figuresOf(result).length === 0) return '';
  const all = total(result, differencesOf);
  if (all === 0) return '0';
  const kinds = /** @type {const} */ (['missing', 'extra', 'type', 'value', 'ttl']).flatMap((kind) => {
    const found = total(result, ({ comparison }) => comparison[kind]);
    if (found === 0) return [];
    return kind === 'ttl' ? `expiry ${count(found)}${expiryText(result)}` : `${kind} ${count(found)}`;
  });
  return `${count(all)} (${kinds.join(', ')})`;
}

/**
 * @param {CaseResult} result with keys that differ in expiry
 * @returns {string} by how much at most, after a space; empty: an earlier version did not record it
 */
function expiryText(result) {
  const most = Math.max(0, ...figuresOf(result).map(({ comparison }) => comparison.ttlMostMs ?? 0));
  return most === 0 ? '' : ` by ≤${duration(most * NS_A_MS)}`;
}

/**
 * Differences that another program leaves are counted and shown; they fail no check of this tool.
 *
 * @param {CaseResult} result
 * @returns {boolean} another program was the mover
 */
export function isForeign({ params }) {
  return params.mover?.startsWith('redis-shake') ?? false;
}

/**
 * @param {CaseResult} result
 * @param {'before' | 'during' | 'after'} phase
 * @returns {number | null} the writers' p99, ns; null: no writers, or too few values lie beyond it
 */
export function p99Of(result, phase) {
  return typical(result, ({ writers }) => {
    if (!writers) return null;
    const { writes, p99Ns } = writers[phase];
    return hasEnoughBeyond({ params: result.params, summary: { ...result.summary, samples: writes } }, 0.01)
      ? p99Ns
      : null;
  });
}

/**
 * @param {CaseResult} result
 * @returns {boolean} source and copy were equal at first; new writes were copied, and that was timed
 */
export function isIncremental({ params }) {
  return INCREMENTAL.has(params.copyMode ?? '');
}

/**
 * @param {CaseResult} result
 * @returns {boolean} plain SCAN while the source is written to: it misses changes behind its cursor
 */
export function missesChanges({ params }) {
  return params.copyMode === 'scan-writes';
}

/**
 * @param {CaseResult} result
 * @returns {number | null} keys or writes copied for each write of the source in the same time
 */
export function ratioOf(result) {
  return typical(result, ({ copyRate, sourceRate }) => (sourceRate > 0 ? copyRate / sourceRate : null));
}

/**
 * The busy part. A busy machine comes first: nodes, movers and writers then wait for a CPU rather than for each other.
 *
 * @param {CaseResult} result
 * @returns {string}
 */
export function limitOf(result) {
  const { rounds, params } = result;
  if (rounds.length === 0) return '';
  if (params.cores) return limitOn(params.cores, result);
  const pairs = params.pairs ?? 1;
  const each = (/** @type {'source' | 'copy' | 'mover'} */ side) =>
    (typical(result, ({ use }) => use[side]?.cpu) ?? 0) / pairs;
  if (median(rounds.map(({ machineCpu }) => machineCpu)) >= BUSY) return 'machine';
  if (each('mover') >= BUSY) return 'mover';
  // With its children, so more than one CPU is possible.
  if (each('source') >= BUSY) return 'source';
  if (each('copy') >= BUSY) return 'copy';
  const writers = median(rounds.map(({ load }) => load.cpu ?? 0));
  return writers >= BUSY ? 'writers' : 'no single part';
}

/**
 * Each part has CPUs, so a busy machine says nothing. The use of a part counts as spread evenly over its CPUs.
 *
 * @param {Record<string, string>} cores
 * @param {CaseResult} result
 * @returns {string} the busiest CPU and the parts on it, such as `CPU 0: sources, copies`
 */
function limitOn(cores, result) {
  const { rounds, params } = result;
  /** @type {Record<string, number>} */
  const used = {
    sources: typical(result, ({ use }) => use.source.cpu) ?? 0,
    copies: typical(result, ({ use }) => use.copy.cpu) ?? 0,
    movers: typical(result, ({ use }) => use.mover?.cpu) ?? 0,
    // The round has the CPU of the busiest thread. Without writers that thread is the mover's.
    writers: isWrittenTo(result) ? median(rounds.map(({ load }) => load.cpu ?? 0)) * (params.writerThreads ?? 1) : 0,
  };
  /** @type {Map<number, number>} */
  const busy = new Map();
  for (const [part, list] of Object.entries(cores)) {
    const cpus = cpusIn(list);
    for (const cpu of cpus) busy.set(cpu, (busy.get(cpu) ?? 0) + (used[part] ?? 0) / cpus.length);
  }
  const [[cpu, share]] = [...busy].sort((a, b) => b[1] - a[1]);
  if (share < BUSY) return 'no single part';
  const parts = Object.keys(cores).filter((part) => cpusIn(cores[part]).includes(cpu) && used[part] > 0);
  return `CPU ${cpu}: ${parts.join(', ')}`;
}

/**
 * @param {CaseResult} result
 * @returns {boolean} writers wrote to the sources meanwhile
 */
export function isWrittenTo(result) {
  return figuresOf(result).some(({ writers }) => writers !== undefined);
}

/**
 * @param {CaseResult} result
 * @returns {number} keys, or writes, copied a second
 */
export function rateOf(result) {
  return typical(result, ({ copyRate }) => copyRate) ?? 0;
}

/**
 * @param {Pick<CaseResult, 'params'>} result
 * @returns {string} such as `scan (COUNT 10)`
 */
export function modeTitle({ params: { copyMode = '', scanCount } }) {
  return scanCount === undefined ? copyMode : `${copyMode} (COUNT ${scanCount})`;
}
