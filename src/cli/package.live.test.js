import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the npm package holds the program, without tests, samples and what only tests use', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  /** @type {string[]} */
  const files = JSON.parse(packed)[0].files.map((/** @type {{path: string}} */ { path }) => path);
  for (const file of ['src/cli/index.js', 'bench/index.js', 'conf/redis.conf', 'docker-compose.yml', 'README.md']) {
    assert.ok(files.includes(file), file);
  }
  const unwanted = files.filter((file) =>
    /\.test\.|fixture|conformance|^test|^results|sample|^perf|earlier\/.*json/.test(file),
  );
  assert.deepEqual(unwanted, []);
});
