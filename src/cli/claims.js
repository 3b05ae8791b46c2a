/** `sentinel-bench claims`: what the articles say, and what the runs show. */
import { answers, claimFacts, ResultSchema } from '../../bench/index.js';
import { countAnswers } from '../report/claims/index.js';
import { claimsMarkdown, claimsTerminal } from '../report/claims/show.js';
import { whole } from '../result/read.js';
import { readRuns } from '../result/runs.js';
import { SCHEMAS } from '../result/schema.js';
import { print, printJson, tell } from './output.js';

/** @import { Result } from '../result/schema.js' */

export const commands = { claims: { run: claims } };

const WIDTH = 160;

/** @param {string[]} places @param {{format: string}} options */
async function claims(places, { format }) {
  const named = places.length === 0 ? ['results'] : places;
  const runs = await readRuns(named, tell, ResultSchema, (parts) => take(whole(parts)));
  const rows = answers(runs.map(({ result: { facts } }) => facts));
  if (format === 'json') {
    const list = runs.map(({ name, result: { facts: _, ...run } }) => ({ name, ...run }));
    printJson({ schema: SCHEMAS.claims, runs: list, answers: countAnswers(rows), claims: rows });
  } else if (format === 'markdown') {
    print(claimsMarkdown(rows, runs.length));
  } else {
    print(claimsTerminal(rows, { runs: runs.length, columns: process.stdout.columns ?? WIDTH }));
  }
}

/** @param {Result} result */
function take(result) {
  const { startedAt, suite, profile, stack } = result;
  const { backend, server } = stack;
  return { startedAt, suite, profile: profile.name, backend, server, facts: claimFacts(result) };
}
