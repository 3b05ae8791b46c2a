/** `sentinel-bench claims`: what the articles say, and what the runs show. */

import { answers, claimFacts, ResultSchema } from '../../bench/index.js';
import { countAnswers } from '../report/claims/index.js';
import { claimsMarkdown, claimsTerminal } from '../report/claims/show.js';
import { whole } from '../result/read.js';
import { readRuns } from '../result/runs.js';
import { SCHEMAS } from '../result/schema.js';
import { declare } from './declare.js';
import { print, printJson, tell } from './output.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Command } from 'commander'
 *
 * @typedef {'text' | 'markdown' | 'json'} Format
 */

/** @type {readonly Format[]} */
const FORMATS = Object.freeze(['text', 'markdown', 'json']);
const DEFAULT_PLACE = 'results';
/** The width of output that is not a terminal. */
const WIDTH = 160;

/** @param {Command} program gets the command */
export const addClaimsCommand = (program) =>
  declare(program, 'claims', { format: { choices: FORMATS, byDefault: 'text' } }).action(claims);

/** @param {string[]} places @param {{format: Format}} options */
async function claims(places, { format }) {
  const runs = await readRuns(places.length === 0 ? [DEFAULT_PLACE] : places, tell, ResultSchema, (parts) =>
    take(whole(parts)),
  );
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
  return {
    startedAt,
    suite,
    profile: profile.name,
    backend: stack.backend,
    server: stack.server,
    facts: claimFacts(result),
  };
}
