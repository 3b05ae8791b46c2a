/** What page.md shows: each tool beside the native client, for each load. */
/** @import { CaseFigures, CaseParams, ColumnSpec, IntervalValue, Result, TableBlock, TemplateData } from '../types.js' */
import { rowsOf } from '../../src/facts/query.js';
import { interval, rate, times } from '../../src/format.js';
import { clientTitle, programNames } from '../../src/registry/clients.js';
import { shareOfNative } from '../../src/report/charts/dots.js';
import { tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { suiteTerms } from '../facts.js';

/** @param {Result} result @returns {TemplateData & {tables: {tools: TableBlock}}} */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms);
  const compared = rows.flatMap((row) => {
    const ratio = advantageOf(row);
    const { params } = row;
    return ratio === null ? [] : [{ load: shapeName(params), tool: params.client, ratio, verdict: verdictOf(ratio) }];
  });
  return {
    compared,
    differing: compared.filter(({ verdict }) => verdict !== 'same'),
    missing: programNames.filter((name) => !rows.some(({ params }) => params.client === name)),
    tables: { tools: tableOf(COLUMNS, rows) },
    charts: { share: result.benchmarks.map((benchmark) => shareOfNative(benchmark, shapeName))[0] ?? null },
  };
}

/** @type {readonly ColumnSpec[]} */
export const COLUMNS = [
  { title: 'load', text: ({ params }) => shapeName(params) },
  { title: 'tool', text: ({ params }) => clientTitle(params.client) },
  { title: 'writes/s', text: ({ of }) => interval(of.throughput, rate), align: 'right' },
  { title: 'native ÷ tool', text: advantageText, align: 'right' },
  { title: 'limited by', text: ({ of }) => String(of.throughput.conditions.limitedBy) },
];

/** @param {IntervalValue} ratio @returns {'faster' | 'slower' | 'same'} */
function verdictOf({ low, high }) {
  if (low <= 1 && high >= 1) return 'same';
  return low > 1 ? 'faster' : 'slower';
}

/** @param {CaseFigures} row @returns {IntervalValue | null} throughput of `native` over that of this tool, paired by round; null: it is native, or was alone */
function advantageOf({ of: { 'throughput-ratio': ratio } }) {
  if (ratio === undefined || ratio.low === null || ratio.high === null) return null;
  return { median: 1 / ratio.median, low: 1 / ratio.high, high: 1 / ratio.low };
}

/** @param {CaseFigures} row */
function advantageText(row) {
  const ratio = advantageOf(row);
  return ratio === null ? NOT_MEASURED : interval(ratio, times);
}

/** @param {Pick<CaseParams, 'connections' | 'pipeline'>} params @returns {string} such as `50 connections, pipeline depth 100` */
export function shapeName({ connections, pipeline }) {
  const where = connections === 1 ? '1 connection' : `${connections} connections`;
  return pipeline === 1 ? where : `${where}, pipeline depth ${pipeline}`;
}
