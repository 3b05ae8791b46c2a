/**
 * One sentence a failure: which library lost most, and which stopped longest.
 *
 * @import { BenchmarkResult, Finding } from '../../src/result/schema.js'
 */

import { writerTitle } from '../../src/registry/writers.js';
import { finding } from '../../src/report/findings.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { REFERENCE } from './cases.js';
import { cellsOf, worstOf } from './figures.js';
import { isToCopy } from './names.js';

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]} empty: no library wrote
 */
export function libraryFindings(benchmark) {
  const cells = cellsOf(benchmark).filter((cell) => cell.writer !== REFERENCE && !isToCopy(cell));
  if (cells.length === 0) return [];
  const lost = worstOf(cells, 'lostSeconds');
  const slow = worstOf(cells, 'outageMs');
  const losing = new Set(cells.filter((cell) => cell.lost > 0).map(({ writer }) => writer)).size;
  const all = new Set(cells.map(({ writer }) => writer)).size;
  const most =
    lost.lost === 0
      ? 'No library lost a write'
      : `${losing} of ${all} libraries lost writes, most ${writerTitle(lost.writer)} (${milliseconds(lost.lostSeconds * 1000)})`;
  return [
    finding(
      'losses',
      `${most}; longest outage ${milliseconds(slow.outageMs)} (${writerTitle(slow.writer)})`,
      benchmark.cases,
    ),
  ];
}
