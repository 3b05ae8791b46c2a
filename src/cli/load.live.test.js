/** `sentinel-bench load` as a user runs it: against real servers of every kind, and against servers that misbehave. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needs } from '../../test/needs.js';
import { certificates } from '../clients/conformance/certificates.js';
import { startNode } from '../clients/conformance/nodes.js';
import { LoadSchema } from '../result/schema.js';
import { formatAddress } from '../stacks/address.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { lockStack } from '../stacks/locks/stack-lock.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { assertRefused, runCli } from './fixture.js';

/**
 * @import { Login } from '../stacks/redis/control.js'
 * @import { TestContext } from 'node:test'
 */

// Loads on misbehaving servers leave journals; they belong in the folder of this test.
const tmp = await ownTemporaryFolder();

/** For a load on a busy machine. */
const DEADLINE_MS = 300_000;
const PASSWORD = 'correct horse battery staple';
/** Long enough to be a load, short enough for a test. */
const BRIEF = ['--duration', '200ms', '--warmup', '50ms', '--keys', '1k', '--connections', '4'];
/** For a WAIT that must not time out on a busy machine. */
const PATIENT = ['--wait-timeout', '30s'];

/** @param {string[]} args @param {Record<string, string>} [env] */
const load = (args, env) => runCli(['load', ...args], { tmp, env, deadlineMs: DEADLINE_MS });

/** @param {string[]} args @param {Record<string, string>} [env] */
async function loadDocument(args, env) {
  const { status, stdout, stderr } = await load([...BRIEF, '--json', ...args], env);
  assert.equal(status, 0, stderr);
  return LoadSchema.parse(JSON.parse(stdout));
}

/** @param {TestContext} t @param {string[]} [options] @param {Login} [login] */
async function serve(t, options, login) {
  const node = await startNode(options, login);
  t.after(() => node.close());
  return node;
}

test('a plain server: output, counts, and no keys left', async (t) => {
  const node = await serve(t);
  await node.call('SET', 'a-users-key', 'value');
  const target = formatAddress(node.address);
  const human = await load([...BRIEF, '--target', target]);
  assert.equal(human.status, 0, human.stderr);
  for (const word of ['throughput', 'p99.99', 'max', 'limited by', 'acked', 'service time']) {
    assert.ok(human.stdout.includes(word), `${word} is missing in:\n${human.stdout}`);
  }
  await node.call('CONFIG', 'RESETSTAT');
  // --ops ends this load before --duration does.
  const limits = ['--ops', '1234', '--duration', '60s', '--warmup', '0s'];
  const { round, params } = await loadDocument(['--target', target, ...limits, '--pipeline', '10']);
  assert.equal(params.operations, 1234);
  assert.ok(round.operations >= 1234 && round.operations < 1234 + 4 * 10, `${round.operations} operations`);
  assert.equal(await node.calls('set'), round.operations);
  assert.deepEqual(await node.call('KEYS', '*'), ['a-users-key']);
});

test('reads find the keys that were filled in, with every client', async (t) => {
  const node = await serve(t);
  for (const client of ['native', 'redis', 'ioredis']) {
    const { round } = await loadDocument([
      ...['--target', formatAddress(node.address), '--client', client],
      ...['--read-ratio', '50%', '--pipeline', '5', '--payload', '3k'],
      // Enough that both reads and writes occur.
      ...['--ops', '2000', '--duration', '60s'],
    ]);
    assert.ok(round.outcomes.acked > 0);
    assert.ok(round.reads && round.reads.answered > 0);
    assert.deepEqual([round.reads.misses, round.reads.failed], [0, 0]);
  }
  assert.deepEqual(await node.call('KEYS', '*'), []);
});

test('--sentinel finds the primary, and WAIT is counted there', async (t) => {
  const stack = await startLocal({ backend: 'local' });
  t.after(() => stack.close());
  const sentinel = stack.nodes.find(({ kind }) => kind === 'sentinel');
  assert.ok(sentinel);
  const waiting = ['--wait', '2', ...PATIENT];
  const { round, replicas } = await loadDocument(['--sentinel', formatAddress(sentinel.address), ...waiting]);
  assert.equal(replicas, 2);
  assert.equal(round.outcomes.acked, round.operations);

  const tooMany = ['--wait', '3', '--wait-timeout', '5ms'];
  const waitForThree = await load([...BRIEF, '--sentinel', formatAddress(sentinel.address), ...tooMany]);
  assert.equal(waitForThree.status, 1, 'writes were not confirmed as requested');
  assert.match(waitForThree.stderr, /WAIT asks for 3 replicas, but only 2 follow/);
  assert.match(waitForThree.stdout, / 0 acked, [\d,]+ underAcked/);

  const [replica] = await stack.database.replicas();
  const refused = await load([...BRIEF, '--target', formatAddress(replica.address)]);
  assertRefused(refused, 3, /READONLY/);
});

test('a stack that is being measured refuses a load by --target and by --sentinel', async (t) => {
  const stack = await startLocal({ backend: 'local' });
  t.after(() => stack.close());
  const sentinel = stack.nodes.find(({ kind }) => kind === 'sentinel');
  assert.ok(sentinel);
  const lock = await lockStack(stack, { command: 'sentinel-bench run' });
  const inUse = RegExp(`has been in use since .* UTC by process ${process.pid} \\(sentinel-bench run\\)`);
  const { address } = await stack.database.primary();
  const ways = [
    ['--target', formatAddress(address)],
    ['--sentinel', formatAddress(sentinel.address)],
  ];
  for (const way of ways) assertRefused(await load([...BRIEF, ...way]), 3, inUse);
  await lock.release();
  for (const way of ways) assert.ok((await loadDocument(way)).round.outcomes.acked > 0);
});

test('a server with TLS, a user and a password, and the password is never shown', {
  skip: await needs('openssl'),
}, async (t) => {
  const { options, tls, caFile } = await certificates(t);
  const acl = [
    '--user',
    ...'loader on >secret-of-the-loader ~sentinel-bench:* +@all'.split(' '),
    '--requirepass',
    PASSWORD,
  ];
  const node = await serve(t, [...options, ...acl], { password: PASSWORD, tls });
  const args = ['--target', formatAddress(node.address), '--tls-ca', caFile, '--tls-server-name', 'redis.test'];
  const document = await loadDocument([...args, '--user', 'loader'], {
    SENTINEL_BENCH_PASSWORD: 'secret-of-the-loader',
  });
  assert.ok(document.round.outcomes.acked > 0);
  assert.doesNotMatch(JSON.stringify(document), /secret-of-the-loader|redis\.test|loader/);

  const wrong = await load([...BRIEF, ...args, '--user', 'loader'], { SENTINEL_BENCH_PASSWORD: 'not-the-password' });
  assertRefused(wrong, 3, /password/);
  assert.doesNotMatch(wrong.stderr, /not-the-password/);
  assertRefused(await load([...BRIEF, ...args]), 3, /password/);
  assertRefused(await load([...BRIEF, '--target', formatAddress(node.address)]), 3, /closed the connection|TLS/);
});
