/**
 * Agents whose clocks are wrong, as users run them: libfaketime tells each process another time. The machine and its clock are one, so the
 * true offset is known.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findFaketime, needs } from '../../test/needs.js';
import { natsEnvironment, startNats } from '../agents/nats-fixture.js';
import { startNode } from '../clients/conformance/nodes.js';
import { LoadSchema } from '../result/schema.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { SERVING_MS, startCli } from './fixture.js';

/** @import { StartedCommand } from './fixture.js' */

const tmp = await ownTemporaryFolder();
const skip = await needs('server', 'nats-server', 'libfaketime');

/** What libfaketime adds to the time of day of each agent. @type {Record<string, {faketime: string, ms: number}>} */
const AHEAD = { a: { faketime: '+0.2', ms: 200 }, b: { faketime: '-0.2', ms: -200 } };
const NAMES = /** @type {const} */ (['a', 'b']);

/** @type {Awaited<ReturnType<typeof startNats>>} */
let nats;
/** @type {StartedCommand[]} */
const agents = [];

/**
 * @param {'a' | 'b'} name
 * @param {string} time as libfaketime takes it
 * @param {NodeJS.ProcessEnv} [more]
 */
async function startAgent(name, time, more) {
  const agent = startCli(['agent', '--allow', 'load', '--name', name, '--nats-user', name], {
    tmp,
    deadlineMs: SERVING_MS,
    env: { ...natsEnvironment(nats.url, name), LD_PRELOAD: findFaketime() ?? '', FAKETIME: time, ...more },
  });
  agents.push(agent);
  await agent.says('stderr', /serves load/);
}

async function endAgents() {
  const ending = agents.splice(0);
  for (const agent of ending) agent.kill('SIGTERM');
  await Promise.all(ending.map(({ ended }) => ended));
}

/** @param {string[]} args */
function controller(args) {
  return startCli([...args, '--nats-user', 'controller'], { tmp, env: natsEnvironment(nats.url, 'controller') }).ended;
}

before(async () => {
  if (!skip) nats = await startNats();
});

after(async () => {
  if (skip) return;
  await endAgents().finally(nats.close);
});

test('clocks that are 200 ms ahead and behind change no count, and their stated offsets and bounds hold', {
  skip,
}, async (t) => {
  // The monotonic clock of each agent counts from another moment, too.
  await Promise.all(NAMES.map((name) => startAgent(name, AHEAD[name].faketime)));
  t.after(endAgents);
  const redis = await startNode();
  t.after(() => redis.close());

  const listed = await controller(['agents', 'list', '--json']);
  assert.equal(listed.status, 0, listed.stderr);
  for (const { name, clock } of JSON.parse(listed.stdout).agents) {
    assert.ok(clock.ticks, name);
    assert.ok(Math.abs(clock.wallMs - AHEAD[name].ms) <= clock.wallBoundMs, JSON.stringify(clock));
  }
  const target = [
    '--target',
    `127.0.0.1:${redis.address.port}`,
    '--connections',
    '5',
    '--warmup',
    '0s',
    '--keys',
    '1k',
  ];
  for (const [load, due] of /** @type {const} */ ([
    [['--ops', '4000'], 4000],
    [['--rate', '500/s', '--duration', '600ms'], 300],
  ])) {
    const before = await redis.calls('set');
    const { status, stdout, stderr } = await controller(['load', '--json', '--agents', ...NAMES, ...target, ...load]);
    // A busy machine may not sustain the rate.
    assert.ok(status === 0 || status === 1, stderr);
    const { round } = LoadSchema.parse(JSON.parse(stdout));
    const { agents: parts = [], outcomes } = round;
    const written = (await redis.calls('set')) - before;
    assert.equal(written, outcomes.acked, 'the node counted the same');
    assert.equal(round.openLoop?.due ?? round.operations, due);
    assert.equal(
      outcomes.acked,
      parts.reduce((sum, part) => sum + part.outcomes.acked, 0),
    );
    for (const { name, clock } of parts) {
      const wrongMs = Math.abs(clock.offsetMs - AHEAD[name].ms);
      assert.ok(wrongMs <= clock.boundMs, `${name}: ${JSON.stringify(clock)}`);
      assert.ok(clock.boundMs < 100, `${name}: the bound is finer than the skew`);
    }
  }
});

test('an agent whose clock stands is refused by name, with a remedy', { skip }, async (t) => {
  await Promise.all([
    startAgent('a', '+0'),
    // Its monotonic clock runs: without it Node would never wake up.
    startAgent('b', '2026-01-01 00:00:00', { FAKETIME_DONT_FAKE_MONOTONIC: '1' }),
  ]);
  t.after(endAgents);
  const redis = await startNode();
  t.after(() => redis.close());
  const load = ['load', '--target', `127.0.0.1:${redis.address.port}`, '--connections', '2', '--agents', ...NAMES];
  const { status, stdout, stderr } = await controller(load);
  assert.equal(status, 3, stderr);
  assert.deepEqual([stdout, await redis.calls('set')], ['', 0]);
  assert.match(stderr, /The clock of the agent b does not run as this one does\.\n.*Repair the clock of its machine/);
  const listed = await controller(['agents', 'list']);
  assert.match(listed.stdout, /b .*does not run as this one/);
});
