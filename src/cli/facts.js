/** `sentinel-bench facts`: every figure of runs, as one flat list. */
import { ResultSchema, suiteTerms } from '../../bench/index.js';
import { factsOf } from '../facts/index.js';
import { factsCsv, factsJson } from '../facts/render.js';
import { inPieces } from '../files.js';
import { readRuns } from '../result/runs.js';
import { printPieces, tell } from './output.js';
import { refusal } from './refusals.js';

/** @import { ResultInParts } from '../result/schema.js' */

const FILTERS = /** @type {const} */ (['suite', 'experiment', 'mode', 'writer', 'metric']);

/** @param {string} text */
const namesIn = (text) => text.split(',').map((name) => name.trim());

const readings = Object.fromEntries(FILTERS.map((filter) => [filter, { parse: namesIn }]));

export const commands = { facts: { run: printFacts, readings } };

/** @param {string[]} places @param {Partial<Record<typeof FILTERS[number], string[]>> & {format: 'csv' | 'json'}} options */
async function printFacts(places, { format, ...wanted }) {
  const runs = await readRuns(places, tell, ResultSchema, (/** @type {ResultInParts} */ result) =>
    factsOf(result, suiteTerms).filter((fact) =>
      FILTERS.every((filter) => wanted[filter]?.includes(fact[filter]) ?? true),
    ),
  );
  const facts = runs.flatMap((run) => run.result);
  if (facts.length === 0) throw refusal('no-such-facts', { places: places.join(', ') });
  await printPieces(inPieces(format === 'json' ? factsJson(facts) : factsCsv(facts)));
}
