/** `sentinel-bench claims`: what the articles say, and what the runs show. */

import { Option } from 'commander';
import { answers, claimFacts, ResultSchema } from '../../bench/index.js';
import { countAnswers } from '../report/claims/index.js';
import { claimsMarkdown, claimsTerminal } from '../report/claims/show.js';
import { whole } from '../result/read.js';
import { readRuns } from '../result/runs.js';
import { SCHEMAS } from '../result/schema.js';
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
export function addClaimsCommand(program) {
  program
    .command('claims')
    .summary('compare the claims of five articles with your runs')
    .description(
      'Lists every claim of five articles that could be checked: their figure, your figure with its interval, the answer, and what differs. ' +
        'Reads every run below each folder. docs/claims.md explains the answers.',
    )
    .argument('[results...]', `folders with runs, or result.json files; default: ${DEFAULT_PLACE}`)
    .addOption(new Option('--format <name>', 'output format').choices(FORMATS).default('text'))
    .addHelpText(
      'after',
      `
Exit status: 0 printed; 2 no run can be read.

Examples:
  sentinel-bench claims                                    every run in results
  sentinel-bench claims results/latest                     one run
  sentinel-bench claims results --format markdown > claims.md`,
    )
    .action(claims);
}

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
