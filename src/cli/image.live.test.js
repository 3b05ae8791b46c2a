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
import { natsEnvironment } from '../agents/nats-fixture.js';
import { startNode } from '../clients/conformance/nodes.js';
import { toolVersion } from '../measure/environment.js';
import { execute } from '../programs.js';
import { LoadSchema } from '../result/schema.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { startStack } from '../stacks/index.js';
import { freePort } from '../stacks/ports.js';
import { runCli } from './fixture.js';

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
      ['sentinel-bench_data', `${stack.identity}_data`],
      ['--suite main', 'clients --client native'],
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
  assert.equal(cases.length, 3);
});

test('the agents of deploy/compose.agents.yml send a load together, and need passwords', {
  skip,
  timeout: LONGEST_MS,
}, async (t) => {
  const redis = await startNode();
  t.after(() => redis.close());
  const port = await freePort();
  const env = {
    SENTINEL_BENCH_NATS_IMAGE: 'sentinel-bench/nats:local',
    SENTINEL_BENCH_NATS_PORT: String(port),
    CONTROLLER_PASSWORD: 'of-the-controller',
    AGENT_A_PASSWORD: 'of-agent-a',
    AGENT_B_PASSWORD: 'of-agent-b',
  };
  const file = join(ROOT, 'deploy', 'compose.agents.yml');
  const compose = (/** @type {string[]} */ args, /** @type {NodeJS.ProcessEnv} */ more = env) =>
    execute('docker', ['compose', '-f', file, '-p', `sentinel-bench-test-${process.pid}`, ...args], {
      env: { ...process.env, ...more },
    });
  await assert.rejects(compose(['config'], { ...env, CONTROLLER_PASSWORD: '' }), /password of the controller/);
  t.after(() => compose(['down', '--volumes', '--timeout', '1']));
  await compose(['up', '--detach']);
  const as = { tmp: folder, env: natsEnvironment(`nats://127.0.0.1:${port}`, 'controller') };
  await eventually('both agents answer', async () => {
    const { status, stdout } = await runCli(['agents', 'list', '--json', '--nats-user', 'controller'], as);
    return status === 0 && JSON.parse(stdout).agents.length === 2;
  });
  const target = ['--target', `127.0.0.1:${redis.address.port}`, '--connections', '4', '--duration', '300ms'];
  const load = await runCli(['load', '--agents', 'all', '--nats-user', 'controller', '--json', ...target], as);
  assert.equal(load.status, 0, load.stderr);
  const { agents = [] } = LoadSchema.parse(JSON.parse(load.stdout)).round;
  assert.deepEqual(
    agents.map(({ name, operations }) => [name, operations > 0]),
    [
      ['a', true],
      ['b', true],
    ],
  );
});
