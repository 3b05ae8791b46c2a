/**
 * Agents and controller as users run them: processes of their own, a real nats-server with the accounts of deploy/nats, and real Redis.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ResultSchema } from '../../bench/index.js';
import { needs } from '../../test/needs.js';
import { connectNats } from '../agents/connection.js';
import { discoverAgents } from '../agents/controller.js';
import { clientOf, natsEnvironment, PASSWORDS, startNats } from '../agents/nats-fixture.js';
import { subjects, VERSION } from '../agents/protocol.js';
import { startNode } from '../clients/conformance/nodes.js';
import { LoadSchema } from '../result/schema.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { SERVING_MS, startCli } from './fixture.js';

/** @import { StartedCommand } from './fixture.js' */

const tmp = await ownTemporaryFolder();
const skip = await needs('server', 'nats-server');

/** @type {Awaited<ReturnType<typeof startNats>>} */
let nats;
/** @type {Map<string, StartedCommand>} */
const agents = new Map();

/** @param {keyof typeof PASSWORDS} user */
const as = (user) => ({ tmp, env: natsEnvironment(nats.url, user) });

/** @param {'a' | 'b'} name */
async function startAgent(name) {
  const agent = startCli(['agent', '--allow', 'load', '--name', name, '--nats-user', name], {
    ...as(name),
    deadlineMs: SERVING_MS,
  });
  agents.set(name, agent);
  await agent.says('stderr', /serves load/);
}

before(async () => {
  if (skip) return;
  nats = await startNats();
  await Promise.all([startAgent('a'), startAgent('b')]);
});

after(async () => {
  if (skip) return;
  for (const agent of agents.values()) agent.kill('SIGTERM');
  await Promise.all([...agents.values()].map(({ ended }) => ended)).finally(nats.close);
});

/** @param {import('node:test').TestContext} t @param {keyof typeof PASSWORDS} user */
async function connectAs(t, user) {
  const client = await connectNats(clientOf(nats.url, user), { reconnect: false });
  t.after(() => client.close());
  return client;
}

/** @param {import('node:test').TestContext} t */
async function node(t) {
  const redis = await startNode();
  t.after(() => redis.close());
  return redis;
}

/** The control connections of the test and of the load. */
const OWN_CLIENTS = 2;

/** @param {Awaited<ReturnType<typeof node>>} redis */
async function clientsOf(redis) {
  return String(await redis.call('CLIENT', 'LIST'))
    .trim()
    .split('\n').length;
}

/** @param {string[]} args */
function startLoad(args) {
  const common = ['--json', '--warmup', '100ms', '--keys', '1k', '--nats-user', 'controller'];
  return startCli(['load', ...common, ...args], as('controller'));
}

/** @param {string} stdout */
const documentOf = (stdout) => LoadSchema.parse(JSON.parse(stdout));

test('agents list says who answers and how far the clocks are off', { skip }, async () => {
  const listed = await startCli(['agents', 'list', '--json', '--nats-user', 'controller'], as('controller')).ended;
  assert.equal(listed.status, 0, listed.stderr);
  const found = JSON.parse(listed.stdout).agents;
  assert.deepEqual(
    found.map((/** @type {any} */ { name, allow, busy }) => ({ name, allow, busy })),
    ['a', 'b'].map((name) => ({ name, allow: ['load'], busy: null })),
  );
  for (const { clock } of found) {
    assert.ok(clock.ticks);
    // The same machine: the clocks are one, so the bound holds for zero. Times of day are whole milliseconds.
    assert.ok(Math.abs(clock.monotonicMs) <= clock.boundMs + 0.1, JSON.stringify(clock));
    assert.ok(Math.abs(clock.wallMs) <= clock.boundMs + 1, JSON.stringify(clock));
  }
});

test('a run over two agents is the sum of their parts, and its pages name them', { skip }, async () => {
  const args = ['run', 'concurrency', '--backend', 'local', '--agents', 'all', '--nats-user', 'controller'];
  const { status, stdout, stderr } = await startCli([...args, '--json'], as('controller')).ended;
  // A busy machine may not sustain the rate, which is a failed check.
  assert.ok(status === 0 || status === 1, stderr);
  const result = ResultSchema.parse(JSON.parse(stdout));
  assert.deepEqual(
    result.agents?.map(({ name, cores }) => [name, cores]),
    ['a', 'b'].map((name) => [name, availableParallelism()]),
  );
  assert.doesNotMatch(result.command, new RegExp(`${nats.port}|--nats-user controller`));
  const cases = result.benchmarks.flatMap((each) => each.cases).filter(({ params }) => params.connections === 10);
  const rounds = cases.flatMap((each) => each.rounds);
  assert.ok(rounds.length > 0, stderr);
  for (const round of rounds) {
    const { agents: parts = [] } = round;
    assert.deepEqual(
      parts.map(({ connections }) => connections),
      [5, 5],
    );
    assert.equal(round.outcomes.acked, parts[0].outcomes.acked + parts[1].outcomes.acked);
    assert.equal(round.load.process, null, 'this process made no load');
  }
  const folder = String(/Report: (.*)report\.html/.exec(stderr)?.[1]);
  const [page, details, html] = ['report.md', 'details.md', 'report.html'].map((file) =>
    readFileSync(join(tmp, folder, file), 'utf8'),
  );
  assert.match(page, /load from 2 agents \(a: \d+ cores?, b: \d+ cores?\), clocks known within/);
  assert.match(details, /^## Agents$/m);
  assert.match(details, /^\| concurrency +\| b +\|/m);
  assert.match(html, /id="agents"/);
});

test('a round that loses an agent is invalid, and repeated with all of them', { skip }, async (t) => {
  const redis = await node(t);
  const target = `127.0.0.1:${redis.address.port}`;
  const load = startLoad(['--agents', 'a', 'b', '--target', target, '--duration', '8s', '--connections', '2']);
  t.after(() => load.kill('SIGKILL'));
  await eventually('both agents write', async () => (await clientsOf(redis)) >= OWN_CLIENTS + 2);
  agents.get('b')?.kill('SIGKILL');
  await load.says('stderr', /agent b is lost.*invalid/);
  await startAgent('b');
  const { status, stdout, stderr } = await load.ended;
  assert.equal(status, 0, stderr);
  const { agents: parts = [] } = documentOf(stdout).round;
  assert.deepEqual(
    parts.map(({ name, operations }) => [name, operations > 0]),
    [
      ['a', true],
      ['b', true],
    ],
  );
});

test('an agent whose controller is killed stops its load by itself', { skip }, async (t) => {
  const redis = await node(t);
  const target = `127.0.0.1:${redis.address.port}`;
  const load = startLoad(['--agents', 'a', 'b', '--target', target, '--duration', '10m', '--connections', '2']);
  t.after(() => load.kill('SIGKILL'));
  await eventually('both agents write', async () => (await clientsOf(redis)) >= OWN_CLIENTS + 2);
  load.kill('SIGKILL');
  await load.ended;
  await eventually('the load has ended', async () => (await clientsOf(redis)) === 1);
  const client = await connectAs(t, 'controller');
  await eventually('both agents are free', async () =>
    (await discoverAgents(client)).every(({ busy }) => busy === null),
  );
});

test('an agent refuses malformed requests and other runs', { skip }, async (t) => {
  const client = await connectAs(t, 'controller');
  const run = 'feedfacefeedface';
  /** @param {string} operation @param {object | string} content */
  const ask = async (operation, content) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    return (await client.request(subjects.request('a', operation), text, { timeout: 20_000 })).json();
  };
  /** @param {object} more */
  const request = (more) => ({ version: VERSION, run, body: {}, ...more });
  assert.equal((await ask('begin', '{')).ok, false);
  assert.equal((await ask('begin', request({ version: 99 }))).ok, false);
  assert.equal((await ask('begin', request({ shell: 'id' }))).ok, false);
  assert.match((await ask('stop', request({}))).message, /does not work for this run/);
  assert.match((await ask('constructor', request({}))).message, /knows no operation/);
  assert.equal((await ask('begin', request({}))).ok, true);
  assert.match((await ask('prepare', request({ body: { plan: {}, threads: 1 } }))).message, /malformed/);
  assert.equal((await ask('stop', request({}))).ok, true);
  assert.equal((await ask('end', request({}))).ok, true);
});
