/**
 * Runs tests of one tier or several, and says at the end what was skipped and why.
 *
 *     node test/run.js unit            *.test.js: no server, no container, no browser; under 30 s
 *     node test/run.js live            *.live.test.js: real servers, containers, the command line, a browser
 *     node test/run.js soak            *.soak.test.js: long ones
 *     node test/run.js unit live soak  several tiers
 *
 * Further arguments are parts of file names: only files that contain one of them run.
 *
 * A live file has a process of its own. On two cores four of them run at once, because they mostly wait, or three while one of them uses
 * Docker, which is never used by two: stacks of containers share ports and names. The output of a file is printed when the file has ended.
 * A live file that failed beside others runs a second time, alone; that run counts. Of a file that takes minutes only the tests that failed
 * do. Long files begin first: test/seconds.json says how long each took.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { dockerAvailable } from '../src/stacks/redis/docker/index.js';
import { inOrder, repeatAlone, runTogether } from './jobs.js';

/** @import { Job, Summary, Wavering } from './jobs.js' */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['src', 'bench', 'perf', 'test'];
const TIERS = ['unit', 'live', 'soak'];
/** A process of tests that reports nothing for so long has hung: it is ended, and counts as failed. A busy machine only makes it slower. */
const SILENT_MS = 8 * 60_000;
/** Processes at once that use a core each. More would disturb what live tests measure. */
const AT_ONCE = Math.min(2, availableParallelism());
/** Files that the last lines name, because they take longest. */
const SLOWEST = 10;
/** Live files at once, which mostly wait for servers. */
const MOST_AT_ONCE = 2 * AT_ONCE;
/** The same while one of them uses Docker, whose daemon has work to do as well. */
const MOST_WITH_DOCKER = MOST_AT_ONCE - 1;

const wanted = process.argv.slice(2);
const tiers = wanted.filter((word) => TIERS.includes(word));
const parts = wanted.filter((word) => !TIERS.includes(word));

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
)
  .filter((file) => file.endsWith('.test.js'))
  .filter((file) => (tiers.length === 0 ? tierOf(file) === 'unit' : tiers.includes(tierOf(file))))
  .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
  .sort();

if (files.length === 0) {
  console.error(`No test file of ${tiers.join(', ') || 'unit'} has ${parts.join(' or ')} in its name.`);
  process.exit(2);
}

const { ok: hasDocker } = await dockerAvailable();
const scratch = mkdtempSync(join(tmpdir(), 'sentinel-bench-test-run-'));
const known = JSON.parse(readFileSync(new URL('./seconds.json', import.meta.url), 'utf8'));
const jobs = inOrder([...unitJobs(), ...liveJobs()], known);
const outcomes = await runTogether(jobs, run, { most: MOST_AT_ONCE, mostWithDocker: MOST_WITH_DOCKER });
const { summaries, wavering } = await repeatAlone(outcomes, (job, tests) => {
  console.log(`# ${job.name} failed beside others, and ${tests?.join(' and ') ?? 'all of it'} runs again, alone`);
  return run(job, tests);
});
rmSync(scratch, { recursive: true });
process.exitCode = report(summaries, wavering) ? 0 : 1;

/** @param {string} file @returns {string} unit, live or soak */
function tierOf(file) {
  return /\.(live|soak)\.test\.js$/.exec(file)?.[1] ?? 'unit';
}

/**
 * Starting Node and loading its modules takes most of a unit test's time, so unit tests share a process for each core.
 * @returns {Job[]}
 */
function unitJobs() {
  const unit = files.filter((file) => tierOf(file) === 'unit');
  return Array.from({ length: Math.min(AT_ONCE, unit.length) }, (_, core) => {
    const name = `unit tests, part ${core + 1} of ${AT_ONCE}`;
    const entry = join(scratch, `unit-${core + 1}.test.mjs`);
    const coreFiles = unit.filter((_file, index) => index % AT_ONCE === core);
    const urls = coreFiles.map((file) => JSON.stringify(pathToFileURL(join(ROOT, file)).href));
    writeFileSync(entry, urls.map((url) => `import ${url};\n`).join(''));
    return { name, entry, docker: false, live: false };
  });
}

/** @returns {Job[]} */
function liveJobs() {
  return files
    .filter((file) => tierOf(file) !== 'unit')
    .map((name) => {
      const entry = join(ROOT, name);
      const docker = hasDocker && /needs?\(?:? ?'docker'/.test(readFileSync(entry, 'utf8'));
      return { name, entry, docker, live: true };
    });
}

/** @param {Job} job @param {readonly string[]} [tests] only those of these names @returns {Promise<Summary>} */
function run({ name, entry }, tests = []) {
  const summaryFile = join(scratch, `${name.replaceAll(/\W/g, '-')}.json`);
  const reporter = fileURLToPath(new URL('./summary-reporter.js', import.meta.url));
  const args = [
    ...['--test', '--test-concurrency=1'],
    ...[`--test-reporter=${process.stdout.isTTY ? 'spec' : 'tap'}`, '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${reporter}`, `--test-reporter-destination=${summaryFile}`],
    ...tests.map((test) => `--test-name-pattern=^${test.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`),
    entry,
  ];
  // Left by a first run.
  rmSync(summaryFile, { force: true });
  const started = performance.now();
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    child.kill('SIGTERM');
  }, SILENT_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      timer.refresh();
    });
  }
  return new Promise((resolve) => {
    child.on('close', (status) => {
      clearTimeout(timer);
      const seconds = (performance.now() - started) / 1000;
      console.log(`${output.trimEnd()}\n# ${name}: ${seconds.toFixed(1)} s`);
      /** @type {Summary} */
      const summary = { ...readSummary(summaryFile), seconds };
      if (hung) {
        summary.hung = true;
        summary.failed.push(`${name} reported nothing for ${SILENT_MS / 60_000} minutes`);
      } else if (status !== 0 && summary.failed.length === 0) {
        summary.failed.push(`${name} ended with status ${status}`);
      }
      resolve(summary);
    });
  });
}

/** @param {string} path @returns {Omit<Summary, 'seconds'>} */
function readSummary(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { pass: 0, failed: [], skipped: [] };
  }
}

/** @param {Summary[]} summaries @param {Wavering[]} wavering @returns {boolean} nothing failed */
function report(summaries, wavering) {
  const pass = summaries.reduce((sum, each) => sum + each.pass, 0);
  const failed = summaries.flatMap((each) => each.failed);
  const skipped = summaries.flatMap((each) => each.skipped);
  for (const reason of new Set(skipped.map((each) => each.reason))) {
    const names = skipped.filter((each) => each.reason === reason).map(({ name }) => name);
    console.log(`# skipped ${names.length}: ${reason} (${names[0]}${names.length > 1 ? ', …' : ''})`);
  }
  for (const { file, names } of wavering) {
    console.log(`# FAILED ONCE beside others, passed alone: ${file}: ${names.join('; ')}`);
  }
  const slowest = outcomes.toSorted((a, b) => b.summary.seconds - a.summary.seconds).slice(0, SLOWEST);
  for (const { job, summary } of slowest) console.log(`# ${summary.seconds.toFixed(0).padStart(5)} s ${job.name}`);
  for (const name of failed) console.log(`# failed: ${name}`);
  console.log(
    `# tests ${pass + failed.length + skipped.length}, passed ${pass}, failed ${failed.length}, skipped ${skipped.length}`,
  );
  return failed.length === 0;
}
