import { factsOf } from './index.js';

/**
 * Queries on facts: the figures of each case and writer together, as rows of a table.
 * @import { CaseParams, Result } from '../result/schema.js'
 * @import { Fact, Subject } from './fact.js'
 * @import { SuiteTerms } from './index.js'
 * @typedef {Subject & {of: Readonly<Record<string, Fact>>, params: CaseParams}} CaseFigures of one case and writer; of: by metric
 * @typedef {{[K in keyof Subject]?: Subject[K] | readonly Subject[K][]}} About values that a field may have; absent: any
 */

/**
 * @param {Result} result @param {SuiteTerms} terms
 * @returns {CaseFigures[]} a row for each writer of each case, and one for the case as a whole, whose writer is empty; in their order
 */
export function rowsOf(result, terms) {
  const params = new Map(
    result.benchmarks.flatMap(({ name, cases }) => cases.map((one) => [keyOf(name, one.id), one.params])),
  );
  /** @type {Map<string, CaseFigures & {of: Record<string, Fact>}>} */
  const rows = new Map();
  for (const fact of factsOf(result, terms)) {
    const own = keyOf(fact.experiment, fact.caseId);
    const key = keyOf(own, fact.writer);
    const row = rows.get(key) ?? { ...fact, of: {}, params: /** @type {CaseParams} */ (params.get(own)) };
    row.of[fact.metric] = fact;
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** @template {CaseFigures} Row @param {readonly Row[]} rows @param {About} about @returns {Row[]} */
export function where(rows, about) {
  const wanted = Object.entries(about);
  return rows.filter((row) =>
    wanted.every(([field, value]) => [value].flat().includes(row[/** @type {keyof Subject} */ (field)])),
  );
}

/**
 * @param {CaseFigures | undefined} row @param {string} metric
 * @param {'median' | 'worst' | 'total' | 'n' | 'trialsWithLoss'} [show] default: median @returns {number | null} null: not measured
 */
export function figure(row, metric, show = 'median') {
  return row?.of[metric]?.[show] ?? null;
}

/** @param {...string} parts */
const keyOf = (...parts) => parts.join('\n');
