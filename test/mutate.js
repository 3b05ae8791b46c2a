/**
 * Mutation testing: plants small defects, one at a time, and counts those that a unit test notices.
 *
 *     node test/mutate.js               every area; this can take hours
 *     node test/mutate.js stats sweep   some areas
 *
 * A mutant runs the unit tests of its own area only, so a score is a lower bound. Stryker runs each test file with its TAP runner. The
 * survivors are printed with their lines; the scores stand in docs/methods.md.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

/** @typedef {{files: string[], tests: string[]}} Area what is mutated, and its tests */

const UNIT = '!(*.live|*.soak).test.js';

/** @type {Readonly<Record<string, Area>>} */
const AREAS = Object.freeze({
  audit: { files: ['src/audit/{ledger,timeline,value,verdict}.js'], tests: [`src/audit/${UNIT}`] },
  stats: { files: ['src/stats/*.js'], tests: [`src/stats/${UNIT}`] },
  sweep: { files: ['bench/sweep/{decision,recommend}.js'], tests: [`bench/sweep/${UNIT}`] },
  compare: { files: ['src/report/compare/{compare,failures,history}.js'], tests: [`src/report/compare/${UNIT}`] },
  // Two of these tests are live only because Python reads what they write.
  exports: { files: ['src/result/export-*.js'], tests: ['src/result/export-*.test.js'] },
  load: { files: ['src/load/{open-loop,recorder}.js'], tests: [`src/load/${UNIT}`, `src/run/throughput${UNIT}`] },
  clients: { files: ['src/clients/{outcome,library,native}.js'], tests: [`src/clients/${UNIT}`] },
  faults: { files: ['src/faults/{index,journal,journal-file,settings}.js'], tests: [`src/faults/${UNIT}`] },
  resp: { files: ['src/resp/*.js'], tests: [`src/resp/${UNIT}`] },
});

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(AREAS, name));
if (unknown.length > 0) {
  console.error(`There is no area called ${unknown.join(' or ')}. Choose from: ${Object.keys(AREAS).join(', ')}.`);
  process.exit(2);
}

/** @type {string[]} */
const scores = [];
for (const [name, area] of Object.entries(AREAS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n## ${name}`);
  scores.push(`${name}: ${scoreOf(await mutate(area))}`);
}
console.log(`\n${scores.join('\n')}`);

/** @param {Area} area */
function mutate({ files, tests }) {
  /** @type {import('@stryker-mutator/api/core').PartialStrykerOptions & {tap: object}} */
  const options = {
    testRunner: 'tap',
    tap: {
      testFiles: tests,
      nodeArgs: ['--test-reporter=tap'],
    },
    mutate: [...files, '!**/*.test.js', '!**/*fixture.js'],
    coverageAnalysis: 'perTest',
    // A constant of a module is set before any test begins, so no test file is known to reach it.
    ignoreStatic: true,
    // Stryker would rewrite tsconfig.json through an interface that TypeScript 7 does not have.
    tsconfigFile: 'none.json',
    // The folders of runs begin with the year.
    ignorePatterns: ['results/2*'],
    tempDirName: join(tmpdir(), 'sentinel-bench-mutate'),
    concurrency: 1,
    timeoutMS: 10_000,
    dryRunTimeoutMinutes: 10,
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
    allowConsoleColors: false,
  };
  return new Stryker(options).runMutationTest();
}

/**
 * @param {{status: string}[]} mutants
 * @returns {string} such as `93% of 370 killed`; mutants that no program could run and those of constants do not count
 */
function scoreOf(mutants) {
  const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const left = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage').length;
  return `${((100 * killed) / (killed + left)).toFixed(0)}% of ${killed + left} mutants killed`;
}
