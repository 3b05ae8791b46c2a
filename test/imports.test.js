import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RULES = join(ROOT, '.dependency-cruiser.cjs');
const DEPCRUISE = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

const folder = mkdtempSync(join(tmpdir(), 'imports-test-'));
// Another test of the same process may have removed the folder around it.
after(() => rmSync(folder, { recursive: true, force: true }));

/** Each file, and what it imports. */
const FILES = {
  'src/stats/leaf.js': '',
  'src/run/allowed.js': '../stats/leaf.js',
  'bench/index.js': '../src/run/allowed.js',
  'bench/main/leaf.js': '',
  'bench/experiments/leaf.js': '',
  'bench/main/allowed.js': '../experiments/leaf.js',
  'bench/other/suite.js': '../main/leaf.js',
  'src/cli/allowed.js': '../../bench/index.js',
  'src/cli/suite.js': '../../bench/main/leaf.js',
  'src/stats/upward.js': '../run/allowed.js',
  'src/run/suite.js': '../../bench/main/leaf.js',
  'src/faults/upward.js': '../run/allowed.js',
  'src/report/upward.js': '../faults/upward.js',
  'src/audit/judgement.js': '',
  'src/report/judged.js': '../audit/judgement.js',
  'src/run/page.js': '../report/judged.js',
  'src/registry/upward.js': '../stats/leaf.js',
  'src/run/egg.js': './hen.js',
  'src/run/hen.js': './egg.js',
  'examples/leaf.js': '',
  'examples/upward.js': '../src/stats/leaf.js',
  'src/load/writers/example-writer.js': '../../../examples/leaf.js',
  'src/run/example.js': '../../examples/leaf.js',
};

test('each forbidden import is caught, and no other', () => {
  for (const [file, imported] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), imported === '' ? 'export {};\n' : `import '${imported}';\n`);
  }
  const args = [DEPCRUISE, '--config', RULES, '--output-type', 'json', 'src', 'bench', 'examples'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const found = JSON.parse(stdout).summary.violations.map(
    (/** @type {{from: string, rule: {name: string}}} */ { from, rule }) => `${from}: ${rule.name}`,
  );
  assert.deepEqual(found.sort(), [
    'bench/other/suite.js: suites-stand-alone',
    'examples/upward.js: examples-stand-alone',
    'src/cli/suite.js: cli-reads-the-registry',
    'src/faults/upward.js: parts-below-run',
    'src/registry/upward.js: registry-is-data',
    'src/report/upward.js: report-reads-results',
    'src/run/egg.js: no-cycles',
    'src/run/example.js: examples-are-measured',
    'src/run/page.js: run-below-cli-and-pages',
    'src/run/suite.js: src-knows-no-suite',
    'src/stats/upward.js: stats-and-resp-at-the-bottom',
  ]);
});

test('docs/architecture.md lists these rules and no other, and says what each part of src is', async () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const { default: config } = await import(pathToFileURL(RULES).href);
  const rules = config.forbidden.map(
    (/** @type {{name: string, comment: string}} */ { name, comment }) => `| \`${name}\` | ${comment} |`,
  );
  assert.deepEqual(page.match(/^\| `[a-z-]+` \|.*\|$/gm), rules);
  const parts = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter(({ name }) => !/test\.js$|fixture\.js$/.test(name))
    .map((entry) => `\`src/${entry.name}${entry.isDirectory() ? '/' : ''}\``);
  assert.deepEqual(
    parts.filter((part) => !page.split('\n').some((line) => line.startsWith('|') && line.includes(part))),
    [],
  );
});
