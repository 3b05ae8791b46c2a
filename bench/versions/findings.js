/**
 * One sentence a fault: which server lost most, and which was away longest.
 *
 * @import { BenchmarkResult, Finding } from '../../src/result/schema.js'
 */
import { finding } from '../../src/report/findings.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { worstLoss } from '../../src/report/trials/losses.js';
import { largestFirst, longestOf, rowsOf } from '../../src/report/trials/rows.js';
import { NATIVE_WRITERS } from '../experiments/cases.js';
import { TITLES } from '../servers.js';

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]} empty: nothing was measured
 */
export function versionFindings(benchmark) {
  const rows = rowsOf(benchmark, { writers: NATIVE_WRITERS, titles: TITLES });
  const longest = longestOf(rows);
  if (longest === null) return [];
  const [most] = rows.toSorted(largestFirst);
  const lost = most.loss.most === 0 ? 'No server lost a write' : `Most lost: ${worstLoss(most.loss)}, ${most.mode}`;
  const outage = `longest outage ${milliseconds(longest.outage.medianMs)}, ${longest.mode}`;
  return [finding('losses', `${lost}; ${outage}`, benchmark.cases)];
}
