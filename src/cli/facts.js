/** `sentinel-bench facts`: every figure of runs, as one flat list. */
import { ResultSchema, suiteTerms } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { factsOf } from '../facts/index.js';
import { factsCsv, factsJson } from '../facts/render.js';
import { inPieces } from '../files.js';
import { readRuns } from '../result/runs.js';
import { declare } from './declare.js';
import { printPieces, tell } from './output.js';

/**
 * @import { Command } from 'commander'
 * @import { Fact } from '../facts/fact.js'
 * @import { ResultInParts } from '../result/schema.js'
 */

const FILTERS = /** @type {const} */ (['suite', 'experiment', 'mode', 'writer', 'metric']);

/** @typedef {Partial<Record<typeof FILTERS[number], string[]>> & {format: 'csv' | 'json'}} FactsOptions */

/** @param {Command} program gets the command */
export function addFactsCommand(program) {
  const filters = Object.fromEntries(FILTERS.map((filter) => [filter, { parse: namesIn }]));
  declare(program, 'facts', { format: { choices: ['csv', 'json'], byDefault: 'csv' }, ...filters }).action(printFacts);
}

/** @param {string[]} places @param {FactsOptions} options */
async function printFacts(places, { format, ...wanted }) {
  const take = (/** @type {ResultInParts} */ result) =>
    factsOf(result, suiteTerms).filter((fact) => isWanted(fact, wanted));
  const runs = await readRuns(places, tell, ResultSchema, take);
  const facts = runs.flatMap((run) => run.result);
  if (facts.length === 0)
    throw badInput(
      `${places.join(', ')} has no such facts.`,
      'Leave out a filter to see more; `sentinel-bench facts DIR` prints every fact.',
    );
  await printPieces(inPieces(format === 'json' ? factsJson(facts) : factsCsv(facts)));
}

/** @param {Fact} fact @param {Omit<FactsOptions, 'format'>} wanted */
function isWanted(fact, wanted) {
  return FILTERS.every((filter) => wanted[filter]?.includes(fact[filter]) ?? true);
}

/** @param {string} text */
function namesIn(text) {
  return text.split(',').map((name) => name.trim());
}
