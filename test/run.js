/**
 * Runs tests of one tier, and prints what was skipped and why.
 *
 *     node test/run.js unit            *.test.js: no server, no container, no browser; under 30 s
 *     node test/run.js live            *.live.test.js: real servers, containers, the command line, a browser
 *     node test/run.js soak            *.soak.test.js: long ones
 *     node test/run.js unit live soak  several tiers
 *
 * Further arguments are parts of file names: only files that contain one of them run.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['src', 'bench', 'perf', 'test'];
const TIERS = ['unit', 'live', 'soak'];

const wanted = process.argv.slice(2);
const tiers = wanted.filter((word) => TIERS.includes(word));
const parts = wanted.filter((word) => !TIERS.includes(word));

/**
 * @param {string} file
 * @returns {string} unit, live or soak
 */
function tierOf(file) {
  return /\.(live|soak)\.test\.js$/.exec(file)?.[1] ?? 'unit';
}

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

/**
 * Starting Node and loading its modules takes most of a unit test's time, so unit tests share a process for each core. Live
 * tests have a process each, one at a time: each may need the whole machine.
 *
 * @param {string} folder for what it makes
 * @returns {{entries: string[], concurrency: number}}
 */
function processesFor(folder) {
  const live = files.filter((file) => tierOf(file) !== 'unit').map((file) => join(ROOT, file));
  const unit = files.filter((file) => tierOf(file) === 'unit');
  if (unit.length === 0) return { entries: live, concurrency: 1 };
  const cores = availableParallelism();
  const groups = Array.from({ length: Math.min(cores, unit.length) }, (_, core) => {
    const own = unit.filter((_, index) => index % cores === core);
    const entry = join(folder, `unit-${core + 1}.test.mjs`);
    writeFileSync(
      entry,
      own.map((file) => `import ${JSON.stringify(pathToFileURL(join(ROOT, file)).href)};\n`).join(''),
    );
    return entry;
  });
  return { entries: [...groups, ...live], concurrency: live.length === 0 ? cores : 1 };
}

const folder = mkdtempSync(join(tmpdir(), 'sentinel-bench-test-run-'));
const { entries, concurrency } = processesFor(folder);
spawn(process.execPath, ['--test', `--test-concurrency=${concurrency}`, ...entries], {
  stdio: 'inherit',
  cwd: ROOT,
}).on('exit', (status, signal) => {
  rmSync(folder, { recursive: true });
  process.exitCode = status ?? (signal === null ? 1 : 130);
});
