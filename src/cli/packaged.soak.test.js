import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { needs } from '../../test/needs.js';
import { toolVersion } from '../measure/environment.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { leftIn } from './fixture.js';

/** What users install: the npm package in an empty folder, and the steps of action.yml in the shell that GitHub runs them in. */

/** @typedef {{name: string, run: string, env: Record<string, string>}} ActionStep of action.yml */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LONGEST_MS = 300_000;
const folder = await ownTemporaryFolder();
const skip = await needs('server', 'npm registry');
const run = promisify(execFile);

/** @param {string} tmp @param {NodeJS.ProcessEnv} [more] */
function surroundings(tmp, more = {}) {
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH, TMPDIR: tmp, XDG_STATE_HOME: join(tmp, 'state'), NODE_TEST_CONTEXT: undefined };
  return { cwd: tmp, timeout: LONGEST_MS, maxBuffer: 2 ** 26, env: { ...env, FORCE_COLOR: undefined, ...more } };
}

function newFolder() {
  return mkdtempSync(join(folder, 'user-'));
}

/** @param {...string} more @returns {{filename: string, files: {path: string}[]}} */
function pack(...more) {
  const said = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--offline', ...more], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(said)[0];
}

test('the npm package holds the program, without tests, samples and what only tests use', () => {
  const files = pack('--dry-run').files.map(({ path }) => path);
  for (const file of ['src/cli/index.js', 'src/cli/help/run.yaml', 'bench/index.js', 'conf/redis.conf', 'README.md'])
    assert.ok(files.includes(file), file);
  const unwanted = files.filter((file) =>
    /\.test\.|fixture|conformance|^test|^results|sample|^perf|earlier\/.*json/.test(file),
  );
  assert.deepEqual(unwanted, []);
});

describe('the npm package', { skip }, () => {
  test('installs in an empty folder and measures there', { timeout: LONGEST_MS }, async () => {
    const tmp = newFolder();
    const file = join(folder, pack('--pack-destination', folder).filename);
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', file], surroundings(tmp));
    const program = join(tmp, 'node_modules', '.bin', 'sentinel-bench');
    const version = await run(program, ['--version'], surroundings(tmp));
    assert.equal(version.stdout.trim(), toolVersion);
    await run(program, ['run', 'async-vs-wait', '--client', 'native', '--backend', 'local'], surroundings(tmp));
    const result = JSON.parse(readFileSync(join(tmp, 'results', 'latest', 'result.json'), 'utf8'));
    assert.equal(result.benchmarks[0].cases.length, 5);
    for (const page of ['report.md', 'details.md', 'report.html']) {
      assert.ok(existsSync(join(tmp, 'results', 'latest', page)), page);
    }
    assert.deepEqual(leftIn(tmp), []);
  });
});

describe('action.yml', { skip }, () => {
  const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));

  test('installs, measures and compares with a baseline', { timeout: LONGEST_MS }, async () => {
    const tmp = newFolder();
    const path = join(tmp, 'action');
    unpackInto(path);
    const inputs = { benchmarks: 'async-vs-wait' };
    const first = await runAction(path, tmp, inputs);
    assert.equal(first.status, 0, first.said);
    assert.match(first.summary, /^# /m);
    assert.doesNotMatch(first.summary, /<picture>|<img/);
    const { result, report } = first.outputs;
    assert.ok(existsSync(join(tmp, result)) && existsSync(join(tmp, report)));

    // A baseline that was far faster.
    const document = JSON.parse(readFileSync(join(tmp, result), 'utf8'));
    for (const { rounds } of document.benchmarks[0].cases) {
      for (const round of rounds) round.throughput *= 100;
    }
    const baseline = join(tmp, 'baseline.json');
    writeFileSync(baseline, JSON.stringify(document));
    const steps = action.runs.steps.filter((/** @type {ActionStep} */ { name }) => name.startsWith('Compare'));
    const worse = await runAction(path, tmp, { ...inputs, baseline, threshold: '10%' }, steps);
    assert.equal(worse.status, 1, worse.said);
    assert.match(worse.summary, /worse/);
    const same = await runAction(path, tmp, { ...inputs, baseline: result }, steps);
    assert.equal(same.status, 0, same.said);
    assert.deepEqual(leftIn(tmp), []);
  });

  test('fails with the status of the run, and names the choices', { timeout: LONGEST_MS }, async () => {
    const tmp = newFolder();
    const steps = action.runs.steps.filter((/** @type {ActionStep} */ { name }) => name === 'Measure');
    const { status, said } = await runAction(ROOT, tmp, { suite: '$(touch made)' }, steps);
    assert.equal(status, 2);
    assert.match(said, /Allowed choices are/);
    assert.ok(!readdirSync(tmp).includes('made'), 'an input ran as a command');
  });

  /**
   * @param {string} path of the action
   * @param {string} tmp
   * @param {Record<string, string>} inputs
   * @param {ActionStep[]} [steps]
   */
  async function runAction(path, tmp, inputs, steps = action.runs.steps) {
    const files = { GITHUB_OUTPUT: join(tmp, 'output'), GITHUB_STEP_SUMMARY: join(tmp, 'summary') };
    for (const file of Object.values(files)) writeFileSync(file, '');
    let status = 0;
    let said = '';
    for (const step of steps) {
      const env = Object.fromEntries(
        Object.entries(step.env).map(([name, value]) => {
          const input = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value)?.[1];
          return [name, input ? (inputs[input] ?? action.inputs[input].default) : path];
        }),
      );
      // As GitHub runs `shell: bash`.
      const script = join(tmp, 'step.sh');
      writeFileSync(script, step.run);
      try {
        const ended = await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
          ...surroundings(tmp, { ...env, ...files }),
        });
        said += ended.stdout + ended.stderr;
      } catch (error) {
        const ended = /** @type {{code: number, stdout: string, stderr: string}} */ (error);
        said += ended.stdout + ended.stderr;
        status = ended.code;
        break;
      }
    }
    const outputs = Object.fromEntries(
      readFileSync(files.GITHUB_OUTPUT, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('=')),
    );
    return { status, said, outputs, summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') };
  }
});

/** @param {string} path gets what a checkout of the repository has, without what was installed and made here */
function unpackInto(path) {
  mkdirSync(path);
  for (const name of [
    'action.yml',
    'package.json',
    'package-lock.json',
    'src',
    'bench',
    'conf',
    'docker-compose.yml',
  ]) {
    cpSync(join(ROOT, name), join(path, name), { recursive: true });
  }
}
