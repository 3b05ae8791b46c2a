import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { allBenchmarks, ResultSchema } from '../../bench/index.js';
import { needs } from '../../test/needs.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { HAS_PROC } from '../stacks/hosts/processes.js';
import { connectControl } from '../stacks/redis/control.js';
import { assertRefused, becomes, filesIn, leftIn, newFolder, portsIn, runCli, startCli } from './fixture.js';

/**
 * @import { Control, Login } from '../stacks/redis/control.js'
 * @import { EndedCommand } from './fixture.js'
 */

const folder = await ownTemporaryFolder();

const skip = await needs('server');

const HOST = '127.0.0.1';
/** No program, and no engine. */
const NOTHING = { PATH: '/nonexistent', DOCKER_HOST: 'unix:///nonexistent.sock', SENTINEL_BENCH_SERVER: undefined };
/** One of the quickest: 5 cases, a few seconds. */
const RUN = ['run', 'async-vs-wait', '--client', 'native', '--out', 'out'];
const ESCAPE = '\u001b';
const ROUNDS_BEGIN = /^async-vs-wait: 5 cases/m;
/** A busy machine's node answers within this. */
const ANSWER_MS = 30_000;

describe('what is missing is said before anything starts', { concurrency: 4 }, () => {
  test('no server and no Docker: says what to install', async () => {
    const ended = await runCli(['run'], { tmp: folder, env: NOTHING });
    const why = /neither redis-server nor valkey-server.*Docker/;
    assertRefused(ended, 3, why, /Debian: `apt install redis-server`.*macOS/);
  });

  test('a folder for results that cannot be written is refused before measuring', async () => {
    writeFileSync(join(folder, 'a-file'), '');
    const ended = await runCli(['run', '--backend', 'local', '--out', 'a-file/out'], { tmp: folder });
    assertRefused(ended, 3, /No results can be written to a-file\/out: not a directory\.$/, /--out/);
  });
});

describe('commands that need no stack', { concurrency: 4 }, () => {
  test('list prints every benchmark and its question', async () => {
    const { status, stdout, stderr } = await runCli(['list'], { tmp: folder });
    assert.deepEqual([status, stderr], [0, '']);
    for (const { name, question } of allBenchmarks.values())
      assert.match(stdout, RegExp(`^ +${name} +\\S`, 'm'), question);
    for (const { question } of allBenchmarks.values()) assert.ok(stdout.includes(question));
  });

  test('a reader that closes the pipe early is not an error', async () => {
    const cli = startCli(['list'], { tmp: folder });
    cli.stopReading();
    assert.equal((await cli.ended).status, 0);
  });

  test('status, down and recover without a stack', async () => {
    const tmp = newFolder(folder);
    assertRefused(await runCli(['status', '--backend', 'local'], { tmp }), 3, /No stack is up/, /sentinel-bench up/);
    const down = await runCli(['down', '--backend', 'local'], { tmp });
    assert.deepEqual([down.status, down.stdout, down.stderr], [0, '', 'No stack is up.\n']);
    const recovered = await runCli(['recover'], { tmp });
    assert.deepEqual([recovered.status, recovered.stdout], [0, '']);
  });
});

describe('a stack that stays up', { skip }, () => {
  const tmp = newFolder(folder);
  /** @type {Record<string, number>} */
  let ports;
  /** @type {EndedCommand} */
  let up;
  before(async () => {
    up = await runCli(['up', '--backend', 'local'], { tmp });
    ports = portsIn(tmp);
  });
  after(async () => {
    const { status } = await runCli(['down', '--backend', 'local'], { tmp });
    assert.equal(status, 0);
    assert.deepEqual(HAS_PROC ? leftIn(tmp) : [], []);
  });

  /**
   * @param {RegExp} ids of the nodes
   * @param {(control: Control, id: string) => Promise<unknown>} body
   * @param {Login} [login]
   * @returns {Promise<unknown[]>}
   */
  function onEach(ids, body, login) {
    return Promise.all(
      Object.entries(ports)
        .filter(([id]) => ids.test(id))
        .map(async ([id, port]) => {
          const control = await connectControl({ host: HOST, port }, login, { timeoutMs: ANSWER_MS });
          try {
            return await body(control, id);
          } finally {
            control.close();
          }
        }),
    );
  }

  /** @param {string} text */
  function assertShowsStack(text) {
    for (const [id, port] of Object.entries(ports)) assert.match(text, RegExp(`${id}.*${HOST}:${port}`));
    assert.ok(!text.includes(ESCAPE), 'no escape codes without a terminal');
  }

  test('up shows the stack, and leaves it running', () => {
    assert.equal(up.status, 0, up.stderr);
    assertShowsStack(up.stdout);
    assert.notDeepEqual(leftIn(tmp), []);
  });

  test('run --json prints the result, and nothing else; report says where its page is', async () => {
    const run = await runCli([...RUN, '--backend', 'local', '--json', '--seed', '7'], { tmp });
    assert.equal(run.status, 0, run.stderr);
    const printed = JSON.parse(run.stdout);
    assert.deepEqual(printed, JSON.parse(readFileSync(join(tmp, 'out', 'latest', 'result.json'), 'utf8')));
    const { benchmarks, stack, command, seed } = ResultSchema.parse(printed);
    assert.deepEqual(
      benchmarks.map(({ name, status, cases }) => [name, status, cases.length]),
      [['async-vs-wait', 'ok', 5]],
    );
    assert.equal(seed, 7);
    assert.equal(stack.backend, 'local');
    assert.equal(command, 'sentinel-bench run async-vs-wait --client native --out … --backend local --json --seed 7');
    assert.ok(!run.stdout.includes(folder), 'a result names no folder');
    const { status, stdout, stderr } = await runCli(['report', 'out/latest'], { tmp });
    assert.deepEqual([status, stdout, stderr], [0, 'out/latest/report.html\n', '']);
  });

  test('a run on an existing deployment leaves data and settings as they were', async () => {
    await onEach(/redis-1/, (control) => control.call('MSET', 'theirs', '1', 'sentinel-bench:other', '2'));
    await onEach(/redis-1/, async (control) => {
      await control.call('SET', 'sentinel-bench:000000000000:0000000000', '3');
      // A write that reaches a replica later would look like a change by the run.
      assert.equal(await control.call('WAIT', 2, ANSWER_MS - 5000), 2);
    });
    const state = () =>
      onEach(/redis/, async (control) => [
        await control.call('CONFIG', 'GET', '*'),
        await control.call('DBSIZE'),
        await control.call('MGET', 'theirs', 'sentinel-bench:other', 'sentinel-bench:000000000000:0000000000'),
      ]);
    const earlier = await state();
    const { status, stdout, stderr } = await runCli(
      ['run', 'read-after-write', ...RUN.slice(2), '--sentinel', `${HOST}:${ports['sentinel-1']}`],
      { tmp },
    );
    assert.match(stdout, /\bWAIT 2\b[\s\S]*\n\nReport: out\/.*\/report\.html\n {8}out\/.*\/report\.md\n$/);
    // Replicas get the removal a moment after the primary.
    await becomes(async () => JSON.stringify(await state()) === JSON.stringify(earlier), 'everything is as before');
    const result = ResultSchema.parse(JSON.parse(readFileSync(join(tmp, 'out', 'latest', 'result.json'), 'utf8')));
    assert.equal(result.stack.backend, 'external');
    const [{ checks, ...benchmark }] = result.benchmarks;
    assert.equal(benchmark.status, 'ok', benchmark.reason);
    // On a busy machine a WAIT may time out, and the check rightly reports it.
    assert.equal(status, checks.every(({ ok }) => ok) ? 0 : 1, `${stdout}${stderr}`);
    const tooLate = /^(?:wait[^:]*: [\d,]+ acknowledged, [\d,]+ under-acknowledged(?:; )?|and \d+ more cases)+$/;
    for (const { ok, name, detail } of checks)
      assert.ok(ok || (name === 'every write was acknowledged as asked' && tooLate.test(detail)), `${name}: ${detail}`);
    assert.ok(!JSON.stringify(result).includes(HOST), 'a result names no host');
  });

  describe('protected by passwords', () => {
    const [ofNodes, ofSentinels] = ['open-sesame-of-nodes', 'open-sesame-of-sentinels'];
    const correct = { SENTINEL_BENCH_PASSWORD: ofNodes, SENTINEL_BENCH_SENTINEL_PASSWORD: ofSentinels };
    /** @type {string[]} */
    let external;
    before(async () => {
      external = [...RUN, '--sentinel', `${HOST}:${ports['sentinel-2']}`];
      await onEach(/redis/, (control) => control.call('CONFIG', 'SET', 'masterauth', ofNodes));
      await onEach(/sentinel/, async (control) => {
        await control.call('SENTINEL', 'SET', 'mymaster', 'auth-pass', ofNodes);
        await control.call('SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', ofSentinels);
      });
      await onEach(/redis/, (control) => control.call('CONFIG', 'SET', 'requirepass', ofNodes));
      await onEach(/sentinel/, (control) => control.call('ACL', 'SETUSER', 'default', 'resetpass', `>${ofSentinels}`));
    });

    /** @param {...string} texts */
    function assertNoPassword(...texts) {
      for (const word of [ofNodes, ofSentinels]) assert.ok(!texts.join('\n').includes(word));
    }

    test('the correct passwords work, and appear nowhere', { skip: !HAS_PROC && 'needs /proc' }, async () => {
      const cli = startCli([...external, '--json'], { tmp, env: correct });
      await cli.says('stderr', ROUNDS_BEGIN);
      const commandLines = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(commandLine);
      assert.ok(
        commandLines.some((line) => line.includes(`${HOST}:${ports['sentinel-2']}`)),
        'its own is among them',
      );
      assertNoPassword(...commandLines);
      const { status, stdout, stderr } = await cli.ended;
      assert.equal(status, 0, stderr);
      assertNoPassword(stdout, stderr, ...filesIn(join(tmp, 'out')).map((file) => readFileSync(file, 'utf8')));
      assert.equal(ResultSchema.parse(JSON.parse(stdout)).benchmarks[0].status, 'ok');
    });
  });
});

/** @param {string} pid */
function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}
