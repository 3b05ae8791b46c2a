/**
 * Measured figures are never lost, whether a server leaves out fields or a disk is full. Everything that cannot be measured, written or
 * read is refused in one sentence.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
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
import { newFolder, runCli, startCli } from './fixture.js';

/**
 * @import { Ended } from './fixture.js'
 * @import { TestContext } from 'node:test'
 */

const folder = await ownTemporaryFolder();

const skip = await needs('server');
const noSmallDisk = await needs('small disk');

/** A failing test ends by then. */
const DEADLINE_MS = 30_000;
const LOAD = ['load', '--duration', '100ms', '--warmup', '0s', '--keys', '100', '--connections', '4'];
const RUN = ['run', 'clients', '--client', 'native'];
const ROUNDS_BEGIN = /^clients: 3 cases/m;

/**
 * @param {Ended} ended
 * @param {number} expected
 * @param {RegExp} what
 */
function assertOneSentence({ status, stderr }, expected, what) {
  assert.equal(status, expected, stderr);
  const lines = stderr.trim().split('\n');
  const at = lines.findIndex((line) => line.startsWith('error: '));
  assert.match(lines[at] ?? stderr, what);
  assert.equal(lines.length - at, 2, `one line that says what is wrong, one that says what to do:\n${stderr}`);
  assert.match(lines[at + 1], /\.$|: sentinel-bench report /);
}

/**
 * @param {string} out
 * @returns {string} the only run's folder there
 */
function runIn(out) {
  const names = readdirSync(out).filter((name) => name !== 'latest');
  assert.equal(names.length, 1, names.join());
  return join(out, names[0]);
}

describe('with a real server', { skip }, () => {
  /** @type {Awaited<ReturnType<typeof startNode>>} */
  let node;
  before(async () => {
    node = await startNode();
  });
  after(() => node?.close());
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
      ['export', 'out/latest', '--format', 'csv'],
      ['export', 'out/latest', '--format', 'openmetrics'],
      ['compare', 'out/latest', 'out/latest', '--anyway'],
      ['history', 'out'],
    ]) {
      const made = await runCli(args, { tmp });
      // A few brief rounds may be too few to compare.
      assert.ok(made.status === 0 || args[0] === 'compare', `${args.join(' ')}: ${made.stderr}`);
      assert.doesNotMatch(made.stdout + made.stderr, /undefined|NaN|\.js:/, args.join(' '));
    }
    assert.match(readFileSync(join(tmp, 'out/latest/report.md'), 'utf8'), /redis of unknown version/);
  });

  test('a load on such a server says what is not known', async (t) => {
    const poor = await withoutFields(t, node.address, {
      redis_version: 'redis_nothing',
      used_memory_rss: 'used_memory_non',
    });
    const args = [...LOAD, '--target', formatAddress(poor)];
    const { status, stdout, stderr } = await runCli(args, { tmp: newFolder(folder) });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^redis of unknown version, /);
    assert.match(stdout, /unknown memory/);
    const document = await runCli([...args, '--json'], { tmp: newFolder(folder) });
    assert.equal(LoadSchema.parse(JSON.parse(document.stdout)).server.version, null);
  });

  for (const json of [false, true]) {
    test(`standard output on a full device: ${json ? 'the document' : 'the table'} goes to standard error`, async () => {
      const full = openSync('/dev/full', 'w');
      const ended = await runCli([...LOAD, ...target(), ...(json ? ['--json'] : [])], {
        tmp: newFolder(folder),
        stdout: full,
      }).finally(() => closeSync(full));
      assertOneSentence(
        ended,
        3,
        /^error: Standard output cannot be written \(ENOSPC\); the rest of it is printed above\.$/,
      );
      const printed = ended.stderr.slice(0, ended.stderr.indexOf('error: '));
      if (json) LoadSchema.parse(JSON.parse(printed));
      else assert.match(printed, /throughput/);
    });
  }

  test('standard error on a full device: the load goes on, and ends with status 3', async () => {
    const full = openSync('/dev/full', 'w');
    const { status, stdout } = await runCli([...LOAD, ...target(), '--json'], {
      tmp: newFolder(folder),
      stderr: full,
    }).finally(() => closeSync(full));
    assert.equal(status, 3);
    LoadSchema.parse(JSON.parse(stdout));
  });

  test('no output can be printed: status 3, and no key is left', async () => {
    const full = openSync('/dev/full', 'w');
    const { status } = await runCli([...LOAD, ...target()], {
      tmp: newFolder(folder),
      stdout: full,
      stderr: full,
    }).finally(() => closeSync(full));
    assert.equal(status, 3);
    assert.equal(await node.call('DBSIZE'), 0);
  });

  test('the figures are printed if the distribution cannot be written', async () => {
    const ended = await runCli([...LOAD, ...target(), '--hdr', '/dev/full'], { tmp: newFolder(folder) });
    assertOneSentence(ended, 3, /^error: \/dev\/full cannot be written \(no room is left, ENOSPC\)\.$/);
    assert.match(ended.stdout, /throughput/);
    const tmp = newFolder(folder);
    execFileSync('mkfifo', [join(tmp, 'fifo')]);
    const unread = await runCli([...LOAD, ...target(), '--hdr', 'fifo'], { tmp, deadlineMs: DEADLINE_MS });
    assertOneSentence(unread, 3, /^error: fifo cannot be written \(nobody reads this pipe, ENXIO\)\.$/);
    assert.equal(unread.stdout, '', 'refused before measuring');
    assert.equal(await node.call('DBSIZE'), 0);
  });

  test('a document cut off by a full disk is printed whole to standard error', { skip: noSmallDisk }, async (t) => {
    const file = join(smallDisk(t, 4), 'load.json');
    const descriptor = openSync(file, 'w');
    // Long enough that the histogram does not fit.
    const ended = await runCli([...LOAD, ...target(), '--json', '--duration', '1s'], {
      tmp: newFolder(folder),
      stdout: descriptor,
    }).finally(() => closeSync(descriptor));
    assert.ok(statSync(file).size > 0, 'the disk took a part');
    assertOneSentence(ended, 3, /^error: Standard output cannot be written \(ENOSPC\)/);
    LoadSchema.parse(JSON.parse(ended.stderr.slice(0, ended.stderr.indexOf('error: '))));
  });

  describe('the disk of --out fills up during a run', { skip: noSmallDisk }, () => {
    /**
     * @param {TestContext} t
     * @param {(tmp: string, disk: string) => {args?: string[], env?: NodeJS.ProcessEnv}} prepare
     */
    async function runOnFullDisk(t, prepare) {
      const tmp = newFolder(folder);
      const disk = smallDisk(t, 64);
      const sentinel = await serveSentinel(t, { primary: node.address });
      const { args = [], env } = prepare(tmp, disk);
      const cli = startCli([...RUN, '--sentinel', formatAddress(sentinel), '--out', disk, ...args], { tmp, env });
      await cli.says('stderr', ROUNDS_BEGIN);
      assert.throws(() => execFileSync('dd', ['if=/dev/zero', `of=${join(disk, 'others')}`], { stdio: 'ignore' }));
      return { tmp, disk, ...(await cli.ended) };
    }

    test('the results go to the default folder', async (t) => {
      const { tmp, disk, ...ended } = await runOnFullDisk(t, () => ({}));
      assertOneSentence(
        ended,
        3,
        RegExp(
          `^error: The results cannot be written to ${disk}: no space left on device; they are in results/.*/result\\.json\\.$`,
        ),
      );
      const result = await readResult(runIn(join(tmp, 'results')), ResultSchema);
      assert.equal(result.benchmarks[0].status, 'ok');
      assert.ok(existsSync(join(tmp, 'results/latest/report.html')));
      assert.match(ended.stdout, /results\/.*report\.html/);
    });

    test('or to a new folder for temporary files', async (t) => {
      const ended = await runOnFullDisk(t, (tmp) => {
        writeFileSync(join(tmp, 'results'), 'not a folder');
        return {};
      });
      assertOneSentence(ended, 3, /; they are in .*results-of-sentinel-bench-.*result\.json\.$/);
      const [, place] = /they are in (.*)\/result\.json\.$/m.exec(ended.stderr) ?? [];
      assert.equal((await readResult(place, ResultSchema)).benchmarks[0].status, 'ok');
    });

    test('or to standard output', async (t) => {
      const ended = await runOnFullDisk(t, (tmp, disk) => {
        writeFileSync(join(tmp, 'results'), 'not a folder');
        return { env: { TMPDIR: disk } };
      });
      assertOneSentence(ended, 3, /; they are printed on standard output\.$/);
      const file = join(ended.tmp, 'printed.json');
      writeFileSync(file, ended.stdout);
      assert.equal((await readResult(file, ResultSchema)).benchmarks[0].status, 'ok');
    });
  });
});

describe('impossible answers are refused before anything is measured', () => {
  test('a Sentinel that names itself as the primary', async (t) => {
    const sentinel = formatAddress(await serveSentinel(t, { primary: 'itself' }));
    const tmp = newFolder(folder);
    for (const args of [LOAD, [...RUN, '--out', 'out']]) {
      const ended = await runCli([...args, '--sentinel', sentinel], { tmp, deadlineMs: DEADLINE_MS });
      assertOneSentence(ended, 3, /^error: The Sentinels name .* as the primary, but it is a Sentinel\.$/);
      assert.equal(ended.stdout, '');
    }
    assertOneSentence(await runCli([...LOAD, '--target', sentinel], { tmp }), 3, /: it is a Sentinel\.$/);
    assert.deepEqual(existsSync(join(tmp, 'out')) ? readdirSync(join(tmp, 'out')) : [], []);
  });

  test('a Sentinel that names another Sentinel as the primary', async (t) => {
    const other = await serveSentinel(t, { primary: 'itself' });
    const sentinel = await serveSentinel(t, { primary: other });
    const ended = await runCli([...LOAD, '--sentinel', formatAddress(sentinel)], { tmp: newFolder(folder) });
    assertOneSentence(ended, 3, /^error: The Sentinels name .* as the primary, but it is a Sentinel\.$/);
  });

  test('an INFO that is not of a Redis node', async (t) => {
    const garbage = await serve(t, ([command]) => {
      const name = command.toUpperCase();
      if (name === 'INFO') return info({ hello: 'world' });
      return name === 'SET' ? '+OK\r\n' : '-ERR unknown command\r\n';
    });
    const ended = await runCli([...LOAD, '--target', formatAddress(garbage)], { tmp: newFolder(folder) });
    assertOneSentence(ended, 3, /: its INFO is not that of Redis or Valkey\.$/);
    assert.equal(ended.stdout, '');
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
      assertOneSentence(ended, 3, /it names 1000 (replicas|other Sentinels), and no more than 100 can be measured/);
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

describe('devices, pipes and folders in place of files', () => {
  const tmp = newFolder(folder);
  const fifo = join(tmp, 'fifo');
  const socket = join(tmp, 'socket');
  const ledgers = join(tmp, 'ledgers');
  const endless = join(tmp, 'endless');
  /** @type {net.Server} */
  let listener;
  before(async () => {
    execFileSync('mkfifo', [fifo]);
    for (const [run, file] of [
      [ledgers, fifo],
      [endless, '/dev/zero'],
    ]) {
      mkdirSync(join(run, 'audit'), { recursive: true });
      symlinkSync(file, join(run, 'audit', 'primary-killed.async.1.native.ledger'));
    }
    mkdirSync(join(tmp, 'run'));
    execFileSync('mkfifo', [join(tmp, 'run', 'result.json')]);
    listener = net.createServer();
    await new Promise((resolve) => listener.listen(socket, () => resolve(undefined)));
  });
  after(() => listener.close());

  for (const command of [
    ['report'],
    ['recommend'],
    ['compare', 'B'],
    ['audit'],
    ['export', '--format', 'csv'],
    ['history'],
  ]) {
    test(`${command[0]} neither waits for them nor reads without end`, async () => {
      for (const place of [fifo, '/dev/zero', socket, join(tmp, 'run')]) {
        const [name, ...options] = command;
        const ended = await runCli([name, place, ...options], { tmp, deadlineMs: DEADLINE_MS });
        assertOneSentence(ended, 2, RegExp(place));
      }
    });
  }

  test('audit refuses a ledger that is not a file', async () => {
    for (const run of [ledgers, endless]) {
      const ended = await runCli(['audit', run], { tmp, deadlineMs: DEADLINE_MS });
      assertOneSentence(ended, 2, RegExp(`^error: ${run}/audit/.*\\.ledger is not a regular file\\.$`));
    }
  });

  test('a folder below /proc cannot be made, and the message says so', async () => {
    for (const args of [
      [...RUN, '--out', '/proc/foo'],
      [...RUN, '--out', '/proc/foo/bar'],
    ]) {
      const ended = await runCli(args, { tmp, deadlineMs: DEADLINE_MS });
      assertOneSentence(ended, 3, /^error: No results can be written to \/proc\/foo.*: no such file or directory\.$/);
    }
    const state = await runCli([...LOAD, '--target', '127.0.0.1:1'], {
      tmp,
      env: { XDG_STATE_HOME: '/proc/foo' },
      deadlineMs: DEADLINE_MS,
    });
    assertOneSentence(state, 3, /127\.0\.0\.1:1/);
  });
});
