/** The tables of a benchmark in details.md: columns of facts, a row for each case. */
/** @import { BenchmarkResult, Block, CaseFigures, ColumnSpec, FigureColumn, Result } from '../types.js' */
import { rowsOf } from '../../src/facts/query.js';
import { text } from '../../src/report/blocks.js';
import { tableOf } from '../../src/report/specs.js';
import { sum } from '../../src/stats/statistics.js';
import { suiteTerms } from '../facts.js';

/**
 * @typedef {Object} Further a table below the first
 * @property {string} note above it
 * @property {readonly ColumnSpec[]} columns
 * @property {(row: CaseFigures) => boolean} [only] rows; default: all
 */

/**
 * @param {readonly ColumnSpec[]} columns those without a figure are left out @param {readonly Further[]} [further]
 * @returns {{table: [], details: (benchmark: BenchmarkResult, run: Result) => Block[]}} fields of a benchmark
 */
export function factTable(columns, further = []) {
  return {
    table: [],
    details(benchmark, run) {
      const rows = rowsOf({ ...run, benchmarks: [benchmark] }, suiteTerms);
      if (rows.length === 0) return [];
      const more = further.flatMap(({ note, columns: others, only = () => true }) => {
        const shown = rows.filter(only);
        return shown.length === 0 ? [] : [text(note), tableOf(others, shown)];
      });
      return [tableOf(columns, rows), ...more];
    },
  };
}

/** @typedef {[title: string, metric: string, format: FigureColumn['format'], show?: FigureColumn['show']]} ListedColumn in a YAML file */

/** @param {readonly ListedColumn[]} listed @returns {FigureColumn[]} */
export const columnsIn = (listed) => listed.map(([title, metric, format, show]) => ({ title, metric, format, show }));

/** @param {CaseFigures} row @param {string} metric @returns {number} over all rounds; 0: not measured */
export function totalOf({ of }, metric) {
  return sum(of[metric]?.values ?? []);
}
