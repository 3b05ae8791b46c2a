/**
 * `sentinel-bench claims`: what the articles say, and what the runs show.
 */

import path from 'node:path';
import { Option } from 'commander';
import { answers, claimFacts, ResultSchema } from '../../bench/index.js';
import { plural } from '../format.js';
import { countAnswers } from '../report/claims/index.js';
import { claimsMarkdown, claimsTerminal } from '../report/claims/show.js';
import { keyOf, nameOf, readRuns } from '../report/compare/history.js';
import { readResult } from '../result/read.js';
import { SCHEMAS } from '../result/schema.js';
import { sum } from '../stats/statistics.js';
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

/**
 * @param {string[]} places
 * @param {{format: Format}} options
 */
async function claims(places, { format }) {
  const { runs, leftOut } = await readPlaces(places.length === 0 ? [DEFAULT_PLACE] : places);
  const rows = answers(runs.map(({ result: { facts } }) => facts));
  if (format === 'json') {
    const list = runs.map(({ name, result: { facts: _, ...run } }) => ({ name, ...run }));
    printJson({ schema: SCHEMAS.claims, runs: list, answers: countAnswers(rows), claims: rows });
  } else if (format === 'markdown') {
    print(claimsMarkdown(rows, runs.length));
  } else {
    print(claimsTerminal(rows, { runs: runs.length, columns: process.stdout.columns ?? WIDTH }));
  }
  if (leftOut > 0) tell(`Read: ${plural(runs.length, 'run')}; left out: ${plural(leftOut, 'file')}.`);
}

/**
 * @param {readonly string[]} places folders and files
 * @returns {Promise<{runs: {name: string, key: string, result: ReturnType<typeof take>}[], leftOut: number}>} copies of a run count once
 */
async function readPlaces(places) {
  const all = [];
  for (const place of places)
    all.push(place.endsWith('.json') ? await readFile(place) : await readRuns(place, tell, ResultSchema, take));
  const runs = new Map(all.flatMap((each) => each.runs).map((run) => [run.key, run]));
  return { runs: [...runs.values()], leftOut: sum(all.map((each) => each.leftOut)) };
}

/** @param {string} file */
async function readFile(file) {
  const result = await readResult(file, ResultSchema);
  return { runs: [{ name: nameOf(path.dirname(file), file), key: keyOf(result), result: take(result) }], leftOut: 0 };
}

/**
 * @param {Result} result which may have megabytes
 */
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
