/**
 * `agents up --swarm` on a Swarm of two Docker engines: that of this machine, and one more in a network namespace, joined by a cable. It changes
 * the engine of this machine, so it runs only where SENTINEL_BENCH_SWARM=1 says that it may.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needs } from '../../test/needs.js';
import { startNode } from '../clients/conformance/nodes.js';
import { ownUid } from '../private-files.js';
import { LoadSchema } from '../result/schema.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { becomes, newFolder, runCli, startCli } from './fixture.js';

const LONGEST_MS = 600_000;
const wanted = process.env.SENTINEL_BENCH_SWARM === '1';
const skip = wanted
  ? await needs('docker', 'namespaces', 'nats-server', 'redis-server', 'busybox', 'npm registry')
  : 'it makes a Swarm of the Docker engine of this machine; SENTINEL_BENCH_SWARM=1 allows that';
const temporary = await ownTemporaryFolder();
const engine = join(temporary, 'engine');
const socket = `unix://${join(engine, 'socket')}`;
const NAMESPACE = 'sentinel-bench-second-engine';
const [HERE, THERE] = ['198.19.255.1', '198.19.255.2'];
const STACK = 'sentinel-bench-agents';
const images = ['sentinel-bench/bench:local', 'sentinel-bench/nats:local'];
const UP = ['agents', 'up', '--swarm'];
const env = { SENTINEL_BENCH_NATS_IMAGE: images[1] };

/** @type {import('node:child_process').ChildProcess} */
let second;

/** @param {string} program @param {string[]} args */
const run = (program, args) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const docker = (/** @type {string[]} */ ...args) => run('docker', args);
const dockerThere = (/** @type {string[]} */ ...args) => run('docker', ['--host', socket, ...args]);
const ip = (/** @type {string} */ line) => run('ip', line.split(' '));

before(async () => {
  if (skip) return;
  run(fileURLToPath(new URL('../../s/build-image.sh', import.meta.url)), ['bench', 'nats']);
  ip(`netns add ${NAMESPACE}`);
  ip(`link add sb-swarm type veth peer name eth0 netns ${NAMESPACE}`);
  ip(`address add ${HERE}/24 dev sb-swarm`);
  ip('link set sb-swarm up');
  for (const line of [`address add ${THERE}/24 dev eth0`, 'link set eth0 up', 'link set lo up'])
    ip(`-n ${NAMESPACE} ${line}`);
  mkdirSync(engine);
  // Names of registries are then unknown at once, as they are here.
  writeFileSync(join(engine, 'resolv.conf'), '');
  const log = openSync(join(engine, 'log'), 'w');
  const script = `mount --bind ${engine}/resolv.conf /etc/resolv.conf && hostname second && exec dockerd --data-root ${engine}/data \
    --exec-root ${engine}/exec --pidfile ${engine}/pid --host ${socket}`;
  const apart = [`--net=/run/netns/${NAMESPACE}`, '--', 'unshare', '--mount', '--uts', 'sh', '-c', script];
  second = spawn('nsenter', apart, { stdio: ['ignore', log, log] });
  await becomes(() => answers(() => dockerThere('info')), 'the second engine answers');
  run('sh', ['-c', `docker save ${images.join(' ')} | docker --host ${socket} load`]);
});

after(async () => {
  if (skip) return;
  for (const leave of [dockerThere, docker]) answers(() => leave('swarm', 'leave', '--force'));
  answers(() => docker('network', 'rm', 'docker_gwbridge'));
  const ended = second && once(second, 'exit');
  second?.kill();
  await ended;
  answers(() => ip(`netns delete ${NAMESPACE}`));
});

/** @param {() => unknown} command @returns {boolean} it succeeded */
function answers(command) {
  try {
    command();
    return true;
  } catch {
    return false;
  }
}

/** @param {string} tmp */
function nothingLeft(tmp) {
  for (const what of ['service', 'secret', 'config']) assert.equal(docker(what, 'ls', '--quiet'), '', what);
  assert.equal(docker('ps', '--all', '--quiet', '--filter', `label=com.docker.stack.namespace=${STACK}`), '');
  assert.equal(dockerThere('ps', '--all', '--quiet'), '');
  assert.equal(dockerThere('volume', 'ls', '--quiet'), '');
  assert.deepEqual(
    readdirSync(tmp).filter((name) => name === `sentinel-bench-swarm-${ownUid()}`),
    [],
  );
}

test('each engine of a Swarm of two gets an agent, and loses it again', { skip, timeout: LONGEST_MS }, async (t) => {
  const tmp = newFolder(temporary);
  const up = () => runCli(UP, { tmp, env });
  const none = await up();
  assert.equal(none.status, 3);
  assert.match(none.stderr, /manages no Swarm/);
  docker('swarm', 'init', '--advertise-addr', HERE);
  dockerThere('swarm', 'join', '--token', docker('swarm', 'join-token', '--quiet', 'worker'), `${HERE}:2377`);
  const unlabelled = await up();
  assert.equal(unlabelled.status, 3);
  assert.match(unlabelled.stderr, /No node of the Swarm.*sentinel-bench=agent/);
  const nodes = docker('node', 'ls', '--quiet').split('\n');
  assert.equal(nodes.length, 2);
  for (const node of nodes) docker('node', 'update', '--label-add', 'sentinel-bench=agent', node);

  const started = await up();
  assert.equal(started.status, 0, started.stderr);
  const names = nodes.map((id) => `node-${id.slice(0, 8)}`).sort();
  for (const name of names) assert.match(started.stderr, new RegExp(name));
  assert.match((await up()).stderr, /up on this Swarm already/);

  const redis = await startNode(['--bind', '127.0.0.1', HERE, '--protected-mode', 'no']);
  t.after(() => redis.close());
  const target = ['--target', `${HERE}:${redis.address.port}`, '--connections', '4', '--duration', '500ms'];
  const load = await runCli(['load', '--agents', 'all', '--json', ...target], { tmp });
  assert.equal(load.status, 0, load.stderr);
  const { agents = [] } = LoadSchema.parse(JSON.parse(load.stdout)).round;
  assert.deepEqual(
    agents.map(({ name, operations }) => [name, operations > 0]),
    names.map((name) => [name, true]),
  );

  const down = await runCli(['agents', 'down'], { tmp });
  assert.equal(down.status, 0, down.stderr);
  nothingLeft(tmp);
});

test('recover removes what a killed start left on the Swarm', { skip, timeout: LONGEST_MS }, async () => {
  const tmp = newFolder(temporary);
  const start = startCli(UP, { tmp, env });
  await becomes(() => docker('service', 'ls', '--quiet') !== '', 'a service was made');
  start.kill('SIGKILL');
  await start.ended;
  const recovered = await runCli(['recover'], { tmp });
  assert.equal(recovered.status, 0, recovered.stderr);
  assert.match(recovered.stderr, /left on the Swarm/);
  nothingLeft(tmp);
});
