/**
 * Measured figures are never lost, whether a server leaves out fields or a disk is full. Everything that cannot be measured, written or
 * read is refused in one sentence.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ResultSchema } from '../../bench/index.js';
import { needs } from '../../test/needs.js';
import { startNode } from '../clients/conformance/nodes.js';
import { info, PRIMARY_INFO, serve, serveSentinel, smallDisk, withoutFields } from '../hostile-fixture.js';
import { readResult } from '../result/read.js';
import { LoadSchema } from '../result/schema.js';
import { formatAddress } from '../stacks/address.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { assertRefused, newFolder, runCli, startCli } from './fixture.js';

const folder = await ownTemporaryFolder();

const skip = await needs('server');
const noSmallDisk = await needs('small disk');

/** A failing test ends by then. */
const DEADLINE_MS = 30_000;
const LOAD = ['load', '--duration', '100ms', '--warmup', '0s', '--keys', '100', '--connections', '4'];
const RUN = ['run', 'concurrency', '--client', 'native'];
const ROUNDS_BEGIN = /^concurrency: 8 cases/m;

/** @param {string} out @returns {string} the only run's folder there */
function runIn(out) {
  const names = readdirSync(out).filter((name) => name !== 'latest');
  assert.equal(names.length, 1, names.join());
  return join(out, names[0]);
}

describe('with a real server', { skip }, () => {
  /** @type {Awaited<ReturnType<typeof startNode>>} */
  let node;
  /** @type {Awaited<ReturnType<typeof startNode>>} confirms what WAIT asks for */
  let replica;
  before(async () => {
    [node, replica] = await Promise.all([startNode(), startNode()]);
    await replica.call('REPLICAOF', node.address.host, String(node.address.port));
    assert.equal(await node.call('WAIT', '1', String(DEADLINE_MS)), 1);
  });
  after(() => Promise.all([node?.close(), replica?.close()]));
  const target = () => ['--target', formatAddress(node.address)];

  test('a run on a server whose INFO lacks fields: they are null, and report and export work', async (t) => {
    const poor = await withoutFields(t, node.address, {
      latest_fork_usec: 'latest_fork_none',
      redis_version: 'redis_nothing',
      used_memory_rss: 'used_memory_non',
    });
    const sentinel = await serveSentinel(t, { primary: poor });
    const tmp = newFolder(folder);
    const run = await runCli([...RUN, '--sentinel', formatAddress(sentinel), '--out', 'out'], { tmp });
    assert.equal(run.status, 0, run.stderr);
    const result = await readResult(runIn(join(tmp, 'out')), ResultSchema);
    assert.deepEqual(result.stack.server, { name: 'redis', version: null });
    const [{ nodes }] = result.benchmarks[0].cases[0].rounds;
    assert.deepEqual([nodes[0].memoryBytes, nodes[0].counters?.latestForkUs], [null, null]);
    for (const args of [
      ['report', 'out/latest'],
      ['facts', 'out/latest'],
      ['export', 'out/latest', '--format', 'openmetrics'],
      ['history', 'out'],
    ]) {
      const made = await runCli(args, { tmp });
      assert.equal(made.status, 0, `${args.join(' ')}: ${made.stderr}`);
      assert.doesNotMatch(made.stdout + made.stderr, /undefined|NaN|\.js:/, args.join(' '));
    }
    assert.match(readFileSync(join(tmp, 'out/latest/report.md'), 'utf8'), /redis of unknown version/);
  });

  test('output on a full device: the load goes on, ends with status 3, and leaves no key', async (t) => {
    const full = openSync('/dev/full', 'w');
    t.after(() => closeSync(full));
    const tmp = newFolder(folder);
    const { status, stdout } = await runCli([...LOAD, ...target(), '--json'], { tmp, stderr: full });
    assert.equal(status, 3);
    LoadSchema.parse(JSON.parse(stdout));
    const silent = await runCli([...LOAD, ...target()], { tmp, stdout: full, stderr: full });
    assert.equal(silent.status, 3);
    assert.equal(await node.call('DBSIZE'), 0);
  });

  test('the disk of --out fills up during a run: the results go to a new folder', {
    skip: noSmallDisk,
  }, async (t) => {
    const tmp = newFolder(folder);
    const disk = smallDisk(t, 64);
    const sentinel = await serveSentinel(t, { primary: node.address });
    const cli = startCli([...RUN, '--sentinel', formatAddress(sentinel), '--out', disk], { tmp });
    await cli.says('stderr', ROUNDS_BEGIN);
    assert.throws(() => execFileSync('dd', ['if=/dev/zero', `of=${join(disk, 'others')}`], { stdio: 'ignore' }));
    const ended = await cli.ended;
    assertRefused(ended, 3, /; they are in .*results-of-sentinel-bench-.*result\.json\.$/);
    const [, place] = /they are in (.*)\/result\.json\.$/m.exec(ended.stderr) ?? [];
    assert.equal((await readResult(place, ResultSchema)).benchmarks[0].status, 'ok');
  });
});

describe('impossible answers are refused before anything is measured', () => {
  test('a Sentinel that names itself as the primary', async (t) => {
    const sentinel = formatAddress(await serveSentinel(t, { primary: 'itself' }));
    const tmp = newFolder(folder);
    for (const args of [LOAD, [...RUN, '--out', 'out']]) {
      const ended = await runCli([...args, '--sentinel', sentinel], { tmp, deadlineMs: DEADLINE_MS });
      assertRefused(ended, 3, /^error: The Sentinels name .* as the primary, but it is a Sentinel\.$/);
      assert.equal(ended.stdout, '');
    }
    assertRefused(await runCli([...LOAD, '--target', sentinel], { tmp }), 3, /: it is a Sentinel\.$/);
    assert.deepEqual(existsSync(join(tmp, 'out')) ? readdirSync(join(tmp, 'out')) : [], []);
  });

  test('a Sentinel with too many nodes is refused; a node named a thousand times counts once', async (t) => {
    const primary = await serve(t, ([command]) => {
      if (command.toUpperCase() === 'INFO') return info(PRIMARY_INFO);
      return command.toUpperCase() === 'CONFIG' ? '*0\r\n' : '-ERR unknown command\r\n';
    });
    const ports = Array.from({ length: 1000 }, (_, index) => index + 1);
    const address = (/** @type {number} */ port) => ({ host: '127.0.0.1', port });
    const tmp = newFolder(folder);
    for (const members of [
      { replicas: ports.map(address) },
      { peers: ports.map((port) => ({ id: `${port}`.padStart(40, '0'), address: address(port) })) },
    ]) {
      const sentinel = await serveSentinel(t, { primary, ...members });
      const ended = await runCli([...LOAD, '--sentinel', formatAddress(sentinel)], { tmp, deadlineMs: DEADLINE_MS });
      assertRefused(ended, 3, /it names 1000 (replicas|other Sentinels), and no more than 100 can be measured/);
    }
    const sentinel = await serveSentinel(t, { primary, replicas: ports.map(() => address(1)) });
    const status = await runCli(['status', '--backend', 'external', '--sentinel', formatAddress(sentinel)], { tmp });
    assert.deepEqual(
      [...status.stdout.matchAll(/^│ (redis-\d+) /gm)].map(([, id]) => id),
      ['redis-1', 'redis-2'],
      status.stdout,
    );
  });
});
