/**
 * What a move lost, and whether the nodes could follow.
 *
 * @import { BenchmarkResult, CaseResult, Finding } from '../../src/result/schema.js'
 */
import { happened } from '../../src/audit/judgement.js';
import { finding, oneFinding } from '../../src/report/findings.js';
import { trialsOf } from '../../src/report/trials/figures.js';
import { worstLoss } from '../../src/report/trials/losses.js';
import { largestFirst, rowsOf } from '../../src/report/trials/rows.js';
import { NATIVE_WRITERS } from '../experiments/cases.js';
import { moveTitle, TITLES } from './titles.js';

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {boolean | null} a node of the other server followed the primary in every trial; null: it was not seen
 */
export function followedIn(benchmark, one) {
  const trials = trialsOf(benchmark, one);
  if (trials.some((trial) => happened(trial, 'not-followed'))) return false;
  return trials.some((trial) => happened(trial, 'followed')) ? true : null;
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]} empty: nothing was measured
 */
export function upgradeFindings(benchmark) {
  const rows = rowsOf(benchmark, { writers: NATIVE_WRITERS, titles: TITLES });
  if (rows.length === 0) return [];
  const [most] = rows.toSorted(largestFirst);
  const refused = benchmark.cases.filter((one) => followedIn(benchmark, one) === false);
  const moves = [...new Set(refused.map(({ params }) => moveTitle(params)))];
  return [
    finding(
      'losses',
      most.loss.most === 0 ? 'No acknowledged write was lost' : `Most lost: ${worstLoss(most.loss)}, ${most.mode}`,
      benchmark.cases,
    ),
    ...(moves.length === 0
      ? []
      : [finding('refused', oneFinding('A node of the other server did not follow: ', moves), refused)]),
  ];
}
