import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needs } from '../../test/needs.js';
import { runCli } from '../cli/fixture.js';
import { ownTemporaryFolder } from './fixture.js';

const tmp = await ownTemporaryFolder();
const noMariadb = await needs('mariadb');

/** @param {NodeJS.ProcessEnv} env */
const doctor = (env) => runCli(['doctor'], { tmp, env });

test('a machine with a server can run a stack, with or without an engine', async () => {
  const { status, stdout } = await doctor({ DOCKER_HOST: 'tcp://127.0.0.1:1' });
  assert.equal(status, 0);
  assert.match(stdout, /^ok +local: (redis|valkey) \d/m);
  assert.match(stdout, /^missing +docker: /m);
});

test('a machine with neither cannot, and the message says what to do', async () => {
  const { status, stdout, stderr } = await doctor({
    DOCKER_HOST: 'tcp://127.0.0.1:1',
    SENTINEL_BENCH_SERVER: '/nowhere/redis-server',
  });
  assert.equal(status, 3);
  assert.match(stdout, /^missing +local: .*\/nowhere\/redis-server/m);
  assert.match(stderr, /^error: No stack can be started here\./m);
});

test('MariaDB is named with its version', { skip: noMariadb }, async () => {
  const { stdout } = await doctor({ DOCKER_HOST: 'tcp://127.0.0.1:1' });
  assert.match(stdout, /^ok +local: MariaDB \d+\.\d+\.\d+ \(suite semi-sync\)\.$/m);
});

test('no stack can be started without a folder for temporary files', async () => {
  const { status, stdout } = await doctor({ TMPDIR: '/nowhere' });
  assert.equal(status, 3);
  assert.match(stdout, /^missing +The folder for temporary files, \/nowhere, does not exist\./m);
});
