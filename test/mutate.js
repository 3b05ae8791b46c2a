/**
 * Mutation testing: plants small defects, one at a time, and counts those that a unit test notices.
 *
 *     node test/mutate.js                   every area; this takes an hour or more
 *     node test/mutate.js stats sweep       some areas
 *     node test/mutate.js stats/random      files whose path contains this
 *     node test/mutate.js --changed main    lines that changed since this branch left main
 *     node test/mutate.js --changed auto    since the last release or merge, at most 20 commits
 *
 * It ends after `--minutes`; the default is no limit, with `--changed` two minutes. It then prints what it has found by then.
 *
 * A defect runs the unit tests of its own area only, so a score is a lower bound. The defects that no test noticed are printed with
 * their lines; the scores stand in docs/methods.md.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { AREAS, unitTests } from './mutation/areas.js';
import { autoBase, changedLines } from './mutation/changed.js';
import { tested } from './mutation/tally.js';

/** @import { Area } from './mutation/areas.js' */

const PLUGINS = ['runner', 'tally'].map((name) => fileURLToPath(new URL(`mutation/${name}.js`, import.meta.url)));
const FOLDER = join(tmpdir(), `sentinel-bench-mutate-${process.pid}`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { changed: { type: 'string' }, minutes: { type: 'string' } },
});
const minutes = values.minutes ?? (values.changed === undefined ? undefined : '2');
const areas = values.changed === undefined ? areasNamed(positionals) : areasChangedSince(values.changed);

/** @type {string[]} */
const scores = [];
let current = '';
if (minutes !== undefined) setTimeout(giveUp, Number(minutes) * 60_000).unref();
for (const { name, ...area } of areas) {
  current = name;
  tested.length = 0;
  console.log(`\n## ${name}`);
  scores.push(`${name}: ${scoreOf(await mutate(area))}`);
}
report();

/**
 * @param {string[]} words names of areas, or parts of paths; none: everything
 * @returns {(Area & {name: string})[]}
 */
function areasNamed(words) {
  const isWanted = (/** @type {string} */ name, /** @type {string} */ file) =>
    words.length === 0 || words.some((word) => word === name || file.includes(word));
  const wanted = Object.entries(AREAS)
    .map(([name, area]) => ({ ...area, name, files: area.files.filter((file) => isWanted(name, file)) }))
    .filter(({ files }) => files.length > 0);
  if (wanted.length === 0) {
    console.error(`No area and no file is called ${words.join(' or ')}. Areas: ${Object.keys(AREAS).join(', ')}.`);
    process.exit(2);
  }
  return wanted;
}

/**
 * @param {string} word a commit, a branch or `auto`
 * @returns {(Area & {name: string})[]} their files with ranges of lines, such as `src/wait.js:3-7`
 */
function areasChangedSince(word) {
  const base = word === 'auto' ? autoBase() : word;
  if (base === null) {
    console.log('The history here has no commit before this one, so nothing was mutated.');
    return [];
  }
  const changed = changedLines(base);
  if (changed === null) {
    console.log(`The history here does not reach back to ${base}, so nothing was mutated.`);
    return [];
  }
  const wanted = Object.entries(AREAS)
    .map(([name, area]) => ({ ...area, name, files: area.files.flatMap((file) => changed.get(file) ?? []) }))
    .filter(({ files }) => files.length > 0);
  if (wanted.length === 0) console.log(`No line that is mutated has changed since ${base}.`);
  return wanted;
}

/** @param {Area} area */
function mutate({ files, tests }) {
  /** @type {import('@stryker-mutator/api/core').PartialStrykerOptions & {tests: string[]}} */
  const options = {
    testRunner: 'node-test',
    plugins: PLUGINS,
    ignorers: ['live'],
    tests: tests.flatMap(unitTests),
    mutate: files,
    coverageAnalysis: 'perTest',
    // Modules that were loaded for a defect are not freed.
    maxTestRunnerReuse: 100,
    // Stryker would rewrite tsconfig.json through an interface that TypeScript 7 does not have.
    tsconfigFile: 'none.json',
    // The folders of runs begin with the year.
    ignorePatterns: ['results/2*'],
    tempDirName: FOLDER,
    concurrency: 2,
    timeoutMS: 4000,
    dryRunTimeoutMinutes: 10,
    reporters: ['clear-text', 'progress-append-only', 'tally'],
    clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
    allowConsoleColors: false,
    // Tests of constants take long, and Stryker says so.
    warnings: false,
  };
  return new Stryker(options).runMutationTest();
}

/**
 * @param {{status: string}[]} mutants
 * @returns {string} such as `350 of 370 defects noticed (95%)`; defects that no program could run do not count
 */
function scoreOf(mutants) {
  const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const left = mutants.filter(({ status }) => isLeft(status)).length;
  if (killed + left === 0) return 'no defect to plant';
  return `${killed} of ${killed + left} defects noticed (${((100 * killed) / (killed + left)).toFixed(0)}%)`;
}

/** @param {string} status */
function isLeft(status) {
  return status === 'Survived' || status === 'NoCoverage';
}

function report() {
  console.log(`\n${scores.join('\n')}`);
  rmSync(FOLDER, { recursive: true, force: true });
}

/** The processes that run tests end with this one. */
function giveUp() {
  console.log(`\nThe ${minutes} min are over; the rest was not mutated.`);
  for (const { status, fileName, location, replacement } of tested) {
    if (isLeft(status))
      console.log(`[${status}] ${relative(process.cwd(), fileName)}:${location.start.line} → ${replacement}`);
  }
  scores.push(`${current}, in part: ${scoreOf(tested)}`);
  report();
  process.exit(0);
}
