/** The limits of `sentinel-bench load`: its keys after a kill, the time that removing them takes, and memory. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { startNode } from '../clients/conformance/nodes.js';
import { info, PRIMARY_INFO, serve } from '../hostile-fixture.js';
import { availableMemory } from '../measure/limits.js';
import { formatAddress } from '../stacks/address.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { assertRefused, becomes, journalsIn, newFolder, runCli, startCli } from './fixture.js';

const folder = await ownTemporaryFolder();

const skip = await needs('server');

/** A failing test ends by then. */
const DEADLINE_MS = 30_000;
const BRIEF = ['load', '--duration', '100ms', '--warmup', '0s', '--connections', '4'];
const LONG = ['load', '--duration', '60s', '--warmup', '0s', '--keys', '50k'];
const PASSWORD = 'correct horse battery staple';
const NOTHING = 'Nothing is left of killed runs.\n';
const UNKNOWN = '-ERR unknown command\r\n';

describe('keys of a load', { skip }, () => {
  /** @type {Awaited<ReturnType<typeof startNode>>} */
  let node;
  before(async () => {
    node = await startNode();
    await node.call('MSET', 'theirs', '1', 'sentinel-bench:other', '2');
  });
  after(() => node?.close());
  afterEach(async () => {
    assert.deepEqual(/** @type {string[]} */ (await node.call('KEYS', '*')).sort(), ['sentinel-bench:other', 'theirs']);
  });
  const target = () => ['--target', formatAddress(node.address)];
  const keys = async () => Number(await node.call('DBSIZE'));

  test('are removed by recover after the load was killed', async () => {
    const tmp = newFolder(folder);
    for (const filled of [[], ['--read-ratio', '50%']]) {
      const cli = startCli([...LONG, ...target(), ...filled], { tmp });
      await becomes(async () => (await keys()) > 10_000, 'it writes', DEADLINE_MS);
      cli.kill('SIGKILL');
      await cli.ended;
      assert.equal(journalsIn(tmp).length, 1);
      const recovered = await runCli(['recover'], { tmp });
      assert.equal(recovered.status, 0, recovered.stderr);
      assert.match(
        recovered.stderr,
        /^Undone what process \d+ left: remove the keys that start with sentinel-bench:[0-9a-f]{12}:\.$/m,
      );
      assert.deepEqual(journalsIn(tmp), []);
      assert.equal((await runCli(['recover'], { tmp })).stderr, NOTHING);
    }
  });

  test('are removed when the load is interrupted, with nothing left to recover', async () => {
    const tmp = newFolder(folder);
    const cli = startCli([...LONG, ...target()], { tmp });
    await becomes(async () => (await keys()) > 1000, 'it writes', DEADLINE_MS);
    cli.kill('SIGINT');
    const ended = await cli.ended;
    assert.equal(ended.status, 130, ended.stderr);
    assert.match(ended.stderr, /everything was put back/);
    assert.deepEqual(journalsIn(tmp), []);
  });

  test('stay if the server is gone, with a message, and are removed once it is back', async (t) => {
    const other = await startNode(['--requirepass', PASSWORD, '--appendonly', 'yes', '--appendfsync', 'always'], {
      password: PASSWORD,
    });
    t.after(() => other.close());
    const tmp = newFolder(folder);
    const env = { SENTINEL_BENCH_PASSWORD: PASSWORD };
    const place = formatAddress(other.address);
    const cli = startCli([...LONG, '--target', place], { tmp, env });
    await becomes(async () => Number(await other.call('DBSIZE')) > 100, 'it writes', DEADLINE_MS);
    await other.kill();
    const ended = await cli.ended;
    assert.match(
      ended.stderr,
      /Keys that start with sentinel-bench:.* may be left on .* Remove them with `sentinel-bench recover`\./,
    );
    assertRefused(ended, 3, /^error: All 50 connections to .* were lost within [\d.]+ s; the first error was: CLOSED /);
    assert.match(ended.stdout, /throughput/);
    assert.equal(journalsIn(tmp).length, 1);
    assert.ok(
      !readFileSync(join(tmp, 'state', 'sentinel-bench', 'undo', journalsIn(tmp)[0]), 'utf8').includes(PASSWORD),
    );

    const gone = await runCli(['recover'], { tmp, env });
    assertRefused(
      gone,
      3,
      /could not be put back: Cannot use .*: connection refused\.$/,
      /then run `sentinel-bench recover`/,
    );
    await other.start();
    const without = await runCli(['recover'], { tmp });
    assertRefused(without, 3, /needs a password/, /^Set SENTINEL_BENCH_PASSWORD, then run/);
    const recovered = await runCli(['recover'], { tmp, env });
    assert.equal(recovered.status, 0, recovered.stderr);
    assert.equal(await other.call('DBSIZE'), 0);
    assert.deepEqual(journalsIn(tmp), []);
  });
});

test('a server whose SCAN never ends: the figures are printed, and a signal ends the removal', async (t) => {
  let pages = 0;
  const server = await serve(t, ([command]) => {
    const name = command.toUpperCase();
    if (name === 'INFO') return info(PRIMARY_INFO);
    if (name === 'SET') return '+OK\r\n';
    if (name === 'DBSIZE') return ':0\r\n';
    if (name !== 'SCAN') return UNKNOWN;
    pages++;
    return '*2\r\n$1\r\n7\r\n*0\r\n';
  });
  const tmp = newFolder(folder);
  const cli = startCli([...BRIEF, '--target', formatAddress(server)], { tmp, deadlineMs: DEADLINE_MS });
  await cli.says('stdout', /throughput/);
  await becomes(() => pages > 10, 'it looks for keys', DEADLINE_MS);
  cli.kill('SIGTERM');
  const ended = await cli.ended;
  assertRefused(
    ended,
    3,
    /^error: Keys that start with .* may be left on .*: the removal was interrupted\.$/,
    /recover/,
  );
  assert.equal(journalsIn(tmp).length, 1);
});

describe('memory', () => {
  test('the values sent at once have to fit into available memory', async () => {
    // More than this machine has, whatever it has.
    const pipeline = Math.ceil(availableMemory() / 2 ** 20 / 1000);
    const tooMuch = ['--connections', '2000', '--pipeline', `${Math.min(1000, pipeline)}`, '--payload', '1m'];
    const ended = await runCli(['load', ...tooMuch], { tmp: newFolder(folder), deadlineMs: DEADLINE_MS });
    assertRefused(
      ended,
      3,
      /^error: 2000 × \d+ values of 1 MiB at once take \d+ [MG]iB of memory here; a load may take \d+ [MG]iB, half of the available memory\.$/,
      /^Lower --connections, --pipeline or --payload\.$/,
    );
    assert.equal(ended.stdout, '');
  });
});
