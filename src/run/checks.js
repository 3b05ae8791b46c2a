/**
 * Claims that several benchmarks make, and that can fail.
 */
import { outcomesOf } from '../report/columns.js';
import { count } from '../report/format.js';

/**
 * Nothing was broken on purpose, so nothing may be refused, unanswered or short of replicas.
 *
 * @param {import('./types.js').BenchmarkResult} benchmark
 * @returns {import('./types.js').Check}
 */
export function everyWriteAcked(benchmark) {
  const name = 'every write was acknowledged as asked';
  let attempted = 0;
  /** @type {string[]} */
  const lacking = [];
  for (const result of benchmark.cases) {
    const { acked, underAcked, rejected, unknown } = outcomesOf(result);
    attempted += acked + underAcked + rejected + unknown;
    if (underAcked + rejected + unknown > 0) {
      lacking.push(`${result.id}: ${underAcked} under-acknowledged, ${rejected} rejected, ${unknown} unknown`);
    }
    if (acked === 0) lacking.push(`${result.id}: nothing was acknowledged`);
  }
  return lacking.length === 0
    ? { name, ok: true, detail: `${count(attempted)} writes` }
    : { name, ok: false, detail: lacking.join('; ') };
}
