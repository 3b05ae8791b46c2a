/**
 * What the trials say about each library, over all failures.
 *
 * @import { AuditResult, TrialResult } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 */

import { faultOf, firstAt, outageOf } from '../../src/audit/judgement.js';
import { groupsOf, total, totalOrNull, trialsOf } from '../../src/report/trials/figures.js';
import { lossOf } from '../../src/report/trials/losses.js';
import { sum } from '../../src/stats/statistics.js';

/**
 * @typedef {Object} Cell a library in a case of a failure
 * @property {string} benchmark
 * @property {string} mode
 * @property {string} variant of the case; empty: the defaults
 * @property {string} writer
 * @property {number} lostSeconds acknowledged writes lost in the worst trial, in seconds of writes
 * @property {number} lost the same in writes
 * @property {number} outageMs longest time without an acknowledgement, worst trial; Infinity: to the end
 * @property {number} losses trials that lost an acknowledged write
 * @property {number} attempted writes that were given to the library
 * @property {number} acked
 * @property {number} falseAcks
 * @property {number | null} appliedTwice null: its writes would not show it
 * @property {number} unknownPresent unknown writes that were applied
 * @property {number} trials
 *
 * @typedef {Object} Library
 * @property {string} writer
 * @property {Cell[]} cells
 */

/** A library that loses most of the time until the demotion has stayed with the old primary. */
const STAYED = 0.7;
/** One that loses no more than this share of it left soon after the promotion. */
const SOON = 0.3;
/** The mode without WAIT. */
export const ASYNC = 'async';
export const FAILOVER = 'clients-failover';
export const RUNBOOK = 'clients-runbook';

/**
 * @param {readonly BenchmarkResult[]} benchmarks of the suite
 * @param {string} [variant] of the cases; default: the defaults
 * @returns {Library[]} in the order of the writers of the first case
 */
export function librariesOf(benchmarks, variant = '') {
  const cells = benchmarks.flatMap(cellsOf).filter((cell) => cell.variant === variant);
  return [...new Set(cells.map(({ writer }) => writer))].map((writer) => ({
    writer,
    cells: cells.filter((cell) => cell.writer === writer),
  }));
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Cell[]}
 */
export function cellsOf(benchmark) {
  return groupsOf(benchmark).map(({ case: one, writer, audits }) => {
    const { params } = one;
    const loss = lossOf(benchmark, one, audits);
    return {
      benchmark: benchmark.name,
      mode: params.mode ?? '',
      variant: params.setting ?? '',
      writer,
      lost: loss?.most ?? 0,
      lostSeconds: loss?.seconds ?? 0,
      outageMs: Math.max(...audits.map(outageOf)),
      losses: loss?.losing ?? 0,
      attempted: total(audits, 'attempted'),
      acked: total(audits, 'acked'),
      falseAcks: totalOrNull(audits, 'falseAcks') ?? 0,
      appliedTwice: totalOrNull(audits, 'appliedTwice'),
      unknownPresent: total(audits, 'unknownPresent'),
      trials: audits.length,
    };
  });
}

/**
 * Whether a library leaves an old primary that still answers, by what it lost in a planned failover.
 *
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {Library} library
 * @returns {{leaves: 'soon' | 'late' | 'no', seconds: number} | null} late: some of its connections stayed for a while; seconds of
 *   acknowledged writes that it lost in the worst trial; null: not measured
 */
export function leavingOf(benchmarks, { cells }) {
  const cell = cells.find(({ benchmark, mode }) => benchmark === FAILOVER && mode === ASYNC);
  const benchmark = benchmarks.find(({ name }) => name === FAILOVER);
  if (!cell || !benchmark) return null;
  const stay = stayOf(benchmark);
  const share = stay === null ? 0 : cell.lostSeconds / stay;
  return { leaves: share >= STAYED ? 'no' : share > SOON ? 'late' : 'soon', seconds: cell.lostSeconds };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {number | null} seconds from the command until the old primary was a replica, in the shortest trial; null: not seen
 */
function stayOf(benchmark) {
  const times = benchmark.cases
    .flatMap((one) => trialsOf(benchmark, one))
    .flatMap((trial) => demotedAfter(trial) ?? []);
  return times.length === 0 ? null : Math.min(...times) / 1000;
}

/** @param {TrialResult} trial @returns {number | null} milliseconds */
function demotedAfter(trial) {
  const demoted = firstAt(trial, 'demoted');
  const from = faultOf(trial)?.from;
  return demoted === null || from === undefined ? null : demoted - from;
}

/**
 * @param {Library} library
 * @returns {boolean | null} the counts of WAIT were those of the connection of the write; null: no write was acknowledged with WAIT
 */
export function waitsOnConnection({ cells }) {
  const waited = cells.filter(({ mode }) => mode !== ASYNC);
  const acked = sum(waited.map((cell) => cell.acked));
  return acked === 0 ? null : sum(waited.map(({ falseAcks }) => falseAcks)) === 0;
}

/**
 * @param {readonly Cell[]} cells at least one
 * @param {'lostSeconds' | 'outageMs'} figure
 * @returns {Cell} with the greatest figure
 */
export function worstOf(cells, figure) {
  return cells.reduce((worst, cell) => (cell[figure] > worst[figure] ? cell : worst));
}
