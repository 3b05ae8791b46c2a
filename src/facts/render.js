/**
 * Facts as text: CSV, as in `facts.csv` of a run, or JSON.
 * @import { Fact } from './fact.js'
 */
import { csvText } from '../result/csv.js';
import { METRICS } from './metrics.js';

export const FACTS_FILE = 'facts.csv';

/** @param {Iterable<Fact>} facts @returns {Generator<string>} the header and a line for each fact; they end with CR LF */
export function* factsCsv(facts) {
  const { columns } = METRICS;
  yield csvText([columns]);
  for (const fact of facts) {
    const texts = { ...fact, conditions: JSON.stringify(fact.conditions) };
    yield csvText([columns.map((column) => texts[column])]);
  }
}

/**
 * @param {Iterable<Fact>} facts
 * @returns {Generator<string>} a JSON list, one fact a line; JSON has no infinite number, so an outage to the end is the text `Infinity`
 */
export function* factsJson(facts) {
  const plain = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    value === Number.POSITIVE_INFINITY ? 'Infinity' : value;
  let between = '[\n';
  for (const { values: _, ...fact } of facts) {
    yield `${between}${JSON.stringify(fact, plain)}`;
    between = ',\n';
  }
  yield '\n]\n';
}
