/**
 * The image of sentinel-bench itself. By the command of docs/ci.md it measures a Compose stack whose network it is in; by
 * deploy/compose.agents.yml it is two agents.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needs } from '../../test/needs.js';
import { toolVersion } from '../measure/environment.js';
import { execute } from '../programs.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { startStack } from '../stacks/index.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LONGEST_MS = 300_000;
const folder = await ownTemporaryFolder();
const skip = await needs('docker', 'busybox', 'npm registry', 'nats-server', 'server');
const BUILD = join(ROOT, 's', 'build-image.sh');

before(async () => {
  if (skip) return;
  const { stdout } = await execute(BUILD, ['bench', 'nats']);
  assert.match(stdout, new RegExp(`^${toolVersion}$`, 'm'));
});

/** @returns {string} the command, in one line */
function documented() {
  const page = readFileSync(join(ROOT, 'docs', 'ci.md'), 'utf8');
  const [, command] = /^(docker run .*sentinel-bench\/bench:local \\\n.*)$/m.exec(page) ?? [];
  assert.ok(command, 'docs/ci.md has the command');
  return command.replace('\\\n', '');
}

/** @param {string} text @param {readonly [string, string][]} changes each of which has to be possible */
function changed(text, changes) {
  return changes.reduce((result, [from, to]) => {
    assert.ok(result.includes(from), `${from} in ${result}`);
    return result.replace(from, to);
  }, text);
}

test('the image measures a Compose stack', { skip, timeout: LONGEST_MS }, async () => {
  mkdirSync(join(folder, 'results'));
  const stack = await startStack({ backend: 'docker', image: process.env.SENTINEL_BENCH_IMAGE });
  try {
    const [sentinel] = stack.nodes.filter(({ kind }) => kind === 'sentinel');
    const command = changed(documented(), [
      ['sentinel-bench_data', `${stack.about.identity}_data`],
      ['--suite main', 'async-vs-wait --client native'],
      ['10.213.79.21:26379', `${sentinel.announced.host}:${sentinel.announced.port}`],
    ]);
    await execute('sh', ['-c', command], { cwd: folder });
  } finally {
    await stack.down();
  }
  const { benchmarks, stack: measured } = JSON.parse(
    readFileSync(join(folder, 'results', 'latest', 'result.json'), 'utf8'),
  );
  assert.equal(measured.backend, 'external');
  const [{ status, reason, cases }] = benchmarks;
  assert.equal(status, 'ok', reason);
  assert.equal(cases.length, 5);
});
