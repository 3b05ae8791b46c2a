/**
 * Facts as text: CSV, as in `facts.csv` of a run, or JSON.
 *
 * @import { Fact } from './fact.js'
 */
import { csvText } from '../result/csv.js';

export const FACTS_FILE = 'facts.csv';

/** @type {readonly Exclude<keyof Fact, 'values'>[]} */
export const COLUMNS = Object.freeze([
  'run',
  'suite',
  'experiment',
  'caseId',
  'length',
  'placement',
  'setting',
  'way',
  'mode',
  'writer',
  'server',
  'topology',
  'metric',
  'unit',
  'median',
  'low',
  'high',
  'spread',
  'worst',
  'total',
  'n',
  'trialsWithLoss',
  'conditions',
]);

/** The header of `facts.csv`. */
export const FACTS_HEADER = csvText([COLUMNS]);

/**
 * @param {readonly Fact[]} facts
 * @returns {string} lines that end with CR LF, without the header
 */
export function factsCsv(facts) {
  return csvText(
    facts.map((fact) =>
      COLUMNS.map((column) => (column === 'conditions' ? JSON.stringify(fact.conditions) : fact[column])),
    ),
  );
}

/**
 * @param {readonly Fact[]} facts
 * @returns {string} a JSON list, one fact a line; JSON has no infinite number, so an outage to the end is the text `Infinity`
 */
export function factsJson(facts) {
  const plain = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    value === Number.POSITIVE_INFINITY ? 'Infinity' : value;
  return `[\n${facts.map(({ values: _, ...fact }) => JSON.stringify(fact, plain)).join(',\n')}\n]`;
}
