/**
 * A search on the machines of agents, one of which dies: real agents, NATS with JetStream and the accounts of deploy/nats, real servers.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needs } from '../../test/needs.js';
import { connectNats } from '../agents/connection.js';
import { clientOf, natsEnvironment, startNats } from '../agents/nats-fixture.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { becomes, leftIn, newFolder, runCli, stackFolder, startCli } from './fixture.js';

const temporary = await ownTemporaryFolder();
const skip = await needs('server', 'firewall', 'nats-server');
const DEADLINE_MS = 150_000;
const TRIES = 6;

test('every schedule of a search is counted once, though an agent is killed while it tries one', {
  skip,
}, async (t) => {
  const nats = await startNats({ args: ['-js', '-sd', newFolder(temporary)] });
  t.after(nats.close);
  const folders = { a: newFolder(temporary), b: newFolder(temporary) };
  const agents = { a: await startAgent('a'), b: await startAgent('b') };
  t.after(async () => {
    agents.a.kill('SIGTERM');
    await agents.a.ended;
  });

  /** @param {'a' | 'b'} name */
  async function startAgent(name) {
    const agent = startCli(['agent', '--allow', 'search', '--name', name, '--nats-user', name], {
      tmp: folders[name],
      env: natsEnvironment(nats.url, name),
    });
    await agent.says('stderr', /serves search/);
    return agent;
  }

  const tmp = newFolder(temporary);
  const out = join(tmp, 'out');
  mkdirSync(out);
  const schedule = ['--replay', 'partition:primary@0+2', '--tries', `${TRIES}`, '--lanes', '2'];
  const search = startCli(
    ['search', '--mode', 'wait2', ...schedule, '--agents', 'a', 'b', '--nats-user', 'controller', '--out', out],
    { tmp, env: natsEnvironment(nats.url, 'controller'), deadlineMs: DEADLINE_MS },
  );
  const hasStack = () => existsSync(join(stackFolder(folders.b) ?? '/dev/null', 'stack.json'));
  const early = search.ended.then(({ stderr }) => assert.fail(`it ended before b tried a schedule: ${stderr}`));
  await Promise.race([becomes(hasStack, 'b tries a schedule', DEADLINE_MS), early]);
  early.catch(() => {});
  agents.b.kill('SIGKILL');
  const { status, stderr } = await search.ended;
  assert.equal(status, 0, stderr);
  assert.match(stderr, /The agent b is lost: .*Other agents get its schedules/);

  const [name] = readdirSync(out);
  const document = JSON.parse(readFileSync(join(out, name, 'search.json'), 'utf8'));
  const [a, b] = document.agents;
  assert.deepEqual([a.name, b.name, a.lanes, b.lanes, document.lanes], ['a', 'b', 2, 2, 4]);
  assert.equal(document.tried, TRIES, stderr);
  assert.equal(a.tries + b.tries, TRIES);
  assert.equal(a.acked + b.acked, document.acked);
  assert.ok(a.tries > TRIES / 2, 'those of b, too');
  const page = readFileSync(join(out, name, 'report.md'), 'utf8');
  assert.match(page, /^## Who tried them$/m);
  assert.match(page, new RegExp(`^\\| a +\\| +2 \\| +${a.tries} \\|`, 'm'));

  // Nothing is left in the queues, and the next agent there removes the stacks of the killed one.
  assert.deepEqual(await messagesLeft(nats.url), [0, 0]);
  const recovered = await runCli(['recover'], { tmp: folders.b, deadlineMs: DEADLINE_MS });
  assert.equal(recovered.status, 0, recovered.stderr);
  assert.deepEqual([leftIn(folders.a), leftIn(folders.b)], [[], []]);
});

/** @param {string} url @returns {Promise<number[]>} in each queue */
async function messagesLeft(url) {
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const nats = await connectNats(clientOf(url, 'controller'), { reconnect: false });
  try {
    const manager = await jetstreamManager(nats, { checkAPI: false });
    const names = ['sentinel-bench-to-try', 'sentinel-bench-tried'];
    return await Promise.all(names.map(async (name) => (await manager.streams.info(name)).state.messages));
  } finally {
    await nats.close();
  }
}
