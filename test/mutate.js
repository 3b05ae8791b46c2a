/**
 * Mutation testing: plants small defects, one at a time, and counts those that a unit test notices.
 *
 *     node test/mutate.js                   every area; this takes two hours or more
 *     node test/mutate.js stats sweep       some areas
 *     node test/mutate.js stats/random      files whose path contains this
 *
 * A defect runs the unit tests of its own area only, so a score is a lower bound. The defects that no test noticed are printed with
 * their lines; the scores stand in docs/methods.md.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { AREAS, unitTests } from './mutation/areas.js';

/** @import { Area } from './mutation/areas.js' */

const PLUGINS = [fileURLToPath(new URL('mutation/live.js', import.meta.url))];
const FOLDER = join(tmpdir(), `sentinel-bench-mutate-${process.pid}`);

mkdirSync(FOLDER);
// A test that is ended leaves its files.
process.env.TMPDIR = FOLDER;

/** @type {string[]} */
const scores = [];
try {
  for (const { name, ...area } of areasNamed(process.argv.slice(2))) {
    console.log(`\n## ${name}`);
    scores.push(`${name}: ${scoreOf(await mutate(area))}`);
  }
  console.log(`\n${scores.join('\n')}`);
} finally {
  rmSync(FOLDER, { recursive: true, force: true });
}

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

/** @param {Area} area */
function mutate({ files, tests }) {
  /** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
  const options = {
    testRunner: 'command',
    commandRunner: {
      command: `node --test-reporter=./test/mutation/stop.js test/mutation/tests.js ${tests.flatMap(unitTests).join(' ')}`,
    },
    plugins: PLUGINS,
    ignorers: ['live'],
    mutate: files,
    coverageAnalysis: 'off',
    // Stryker would rewrite tsconfig.json through an interface that TypeScript 7 does not have.
    tsconfigFile: 'none.json',
    // The folders of runs begin with the year.
    ignorePatterns: ['results/2*'],
    tempDirName: join(FOLDER, 'copies'),
    concurrency: 2,
    timeoutMS: 10_000,
    dryRunTimeoutMinutes: 10,
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { allowColor: false },
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
  const left = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage').length;
  if (killed + left === 0) return 'no defect to plant';
  return `${killed} of ${killed + left} defects noticed (${((100 * killed) / (killed + left)).toFixed(0)}%)`;
}
